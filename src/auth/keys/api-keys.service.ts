import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/time.js';
import { RefusedInputError } from '../../common/errors/api-error.js';
import { keyNotFound } from '../auth.errors.js';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import {
  toApiKey,
  type ApiKey,
  type CallerKey,
  type IssuedApiKey,
  type KeyBan,
  type KeyHistory,
} from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { KeyLookup } from './lookup/key-lookup.js';
import type { NewKey, PlanChoice } from './key-rules.js';
import { LastUse } from './lookup/last-use.js';

/**
 * Issues, changes and identifies API keys.
 * @throws RefusedInputError with one line for the operator
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly lookup: KeyLookup,
    private readonly lastUse: LastUse,
    private readonly clock: Clock,
  ) {}

  /** Issues a key. Only the result holds its secret. */
  async create({ validForMs, ...properties }: NewKey): Promise<IssuedApiKey> {
    const id = randomUUID();
    const key = generateApiKey();
    await this.repository.insert({
      id,
      ...properties,
      prefix: displayPrefix(key),
      secretHash: hashApiKey(key),
      expiresAt: validForMs === undefined ? null : new Date(this.clock.nowMs() + validForMs),
    });
    return { ...(await this.show(id)), key };
  }

  /** Issues a free key and resolves with its secret; undefined if there is a key already. A newcomer needs one command only. */
  async createDemoKey(): Promise<string | undefined> {
    if (await this.repository.existsAny()) return undefined;
    const limits = { plan: 'free', perMinute: null, perDay: null } as const;
    const { key } = await this.create({ name: 'demo', ...limits, readOnly: false });
    return key;
  }

  /** Keys, oldest first, including revoked ones, in pages. `afterId`: only keys that follow this one; `limit`: the most keys. */
  async *list(afterId?: string, limit = Infinity): AsyncGenerator<ApiKey[]> {
    if (afterId !== undefined) await this.entity(afterId);
    let left = limit;
    for await (const page of this.repository.list(afterId)) {
      yield page.slice(0, left).map((entity) => this.toApiKey(entity));
      left -= page.length;
      if (left <= 0) return;
    }
  }

  async show(id: string): Promise<ApiKey> {
    return this.toApiKey(await this.entity(id));
  }

  /** A key and its events, oldest first. */
  async history(id: string): Promise<KeyHistory> {
    const key = await this.show(id);
    const events = await this.repository.events(id);
    return { key, events: events.map(({ kind, detail, at }) => ({ kind, detail, at })) };
  }

  /**
   * Gives a key a new secret. The current secret works for another `overlapMs`; an older one ends at once.
   * Refuses revoked and expired keys.
   */
  async rotate(id: string, overlapMs: number): Promise<IssuedApiKey> {
    const { revokedAt, expiresAt } = await this.entity(id);
    const nowMs = this.clock.nowMs();
    if (revokedAt) throw new RefusedInputError('a revoked key cannot be rotated');
    if (expiresAt && expiresAt.getTime() <= nowMs)
      throw new RefusedInputError('an expired key cannot be rotated');
    const key = generateApiKey();
    const secret = { prefix: displayPrefix(key), secretHash: hashApiKey(key) };
    await this.repository.rotate(id, secret, new Date(nowMs + overlapMs));
    const rotated = await this.show(id);
    if (rotated.revokedAt) throw new RefusedInputError('a revoked key cannot be rotated');
    return { ...rotated, key };
  }

  /** Revokes a key for good. A second revocation changes nothing. */
  async revoke(id: string): Promise<ApiKey> {
    await this.show(id);
    await this.repository.revoke(id, new Date(this.clock.nowMs()));
    return this.show(id);
  }

  /** Moves a key to a plan; the running windows continue with the new limits. */
  async setPlan(id: string, choice: PlanChoice): Promise<ApiKey> {
    await this.entity(id);
    await this.repository.setPlan(id, choice);
    return this.show(id);
  }

  /** Ends a ban and resets the refusals and the doubling. */
  async unban(id: string): Promise<ApiKey> {
    const { penaltiesResetAt } = await this.entity(id);
    // The counters compare this mark with the last one they saw, so it must grow although the clock may step back.
    const penaltiesResetAtMs = Math.max(this.clock.nowMs(), (penaltiesResetAt?.getTime() ?? 0) + 1);
    await this.repository.resetPenalties(id, new Date(penaltiesResetAtMs));
    return this.show(id);
  }

  /** Stores a ban on the row of its key, so that it outlives the counters. */
  async recordBan(id: string, ban: KeyBan, penaltiesResetAtMs: number): Promise<void> {
    await this.repository.recordBan(id, ban, penaltiesResetAtMs);
  }

  /**
   * The key with this secret; undefined when the secret is malformed, unknown, revoked or expired. A malformed secret
   * costs no query, nor does one that was looked up within the last seconds. With `addressOf`, the client address as the
   * rate limit counts it, a guessed secret costs no query either once that address is out of requests.
   * @throws ApiError service_unavailable when the database is away or overloaded
   */
  async identify(secret: string, addressOf?: () => string): Promise<CallerKey | undefined> {
    if (!isWellFormedApiKey(secret)) return undefined;
    const key = await this.lookup.find(secret, addressOf);
    if (!key) return undefined;
    const nowMs = this.clock.nowMs();
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return undefined;
    this.lastUse.note(key.id, nowMs);
    return key;
  }

  /** Notes for how long an address is out of requests; see identify. */
  noteExhaustedAddress(address: string, forMs: number): void {
    this.lookup.noteExhausted(address, forMs);
  }

  private async entity(id: string): Promise<ApiKeyEntity> {
    const entity = await this.repository.find(id);
    if (!entity) throw keyNotFound(id);
    return entity;
  }

  private toApiKey(entity: ApiKeyEntity): ApiKey {
    return toApiKey(entity, this.clock.nowMs());
  }
}
