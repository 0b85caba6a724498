import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import {
  displayPrefix,
  generateApiKey,
  hashApiKey,
  hashApiKeyAsText,
  isWellFormedApiKey,
} from './api-key-format.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { toApiKey, toCallerKey } from './api-key.mapper.js';
import type { ApiKey, CallerKey, IssuedApiKey, KeyBan, KeyHistory } from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { CallerCache } from './caller-cache.js';
import { KeyNotFoundError, KeyRefusedError } from './auth.errors.js';
import type { NewKey, PlanChoice } from './key-rules.js';
import { LastUse } from './last-use.js';

/** The life of API keys. What cannot be done raises KeyRefusedError or KeyNotFoundError, each with one line for people. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly cache: CallerCache,
    private readonly lastUse: LastUse,
    private readonly clock: Clock,
  ) {}

  /** Issues a key. Its secret is in the answer and nowhere else. */
  async create(request: NewKey): Promise<IssuedApiKey> {
    const key = generateApiKey();
    const entity = await this.repository.insert({
      id: randomUUID(),
      name: request.name,
      ...planColumns(request),
      readOnly: request.readOnly,
      prefix: displayPrefix(key),
      secretHash: hashApiKey(key),
      expiresAt: request.validForMs === undefined ? null : new Date(this.clock.nowMs() + request.validForMs),
    });
    return { ...this.toApiKey(entity), key };
  }

  /** All keys, oldest first, the revoked ones too. */
  async list(): Promise<ApiKey[]> {
    return (await this.repository.list()).map((entity) => this.toApiKey(entity));
  }

  async show(id: string): Promise<ApiKey> {
    return this.toApiKey(await this.entity(id));
  }

  /** A key and what happened to it, oldest first. */
  async history(id: string): Promise<KeyHistory> {
    const key = await this.show(id);
    const events = await this.repository.events(id);
    return { key, events: events.map(({ kind, detail, at }) => ({ kind, detail, at })) };
  }

  /**
   * Gives a key a new secret. The one until now works for `overlapMs` more; one that was already old ends at once.
   * A revoked or expired key is refused.
   */
  async rotate(id: string, overlapMs: number): Promise<IssuedApiKey> {
    const { revokedAt, expiresAt } = await this.entity(id);
    const nowMs = this.clock.nowMs();
    if (revokedAt) throw new KeyRefusedError('a revoked key cannot be rotated');
    if (expiresAt && expiresAt.getTime() <= nowMs)
      throw new KeyRefusedError('an expired key cannot be rotated');
    const key = generateApiKey();
    const secret = { prefix: displayPrefix(key), secretHash: hashApiKey(key) };
    await this.repository.rotate(id, secret, new Date(nowMs + overlapMs));
    const rotated = await this.show(id);
    if (rotated.revokedAt) throw new KeyRefusedError('a revoked key cannot be rotated');
    return { ...rotated, key };
  }

  /** Ends a key for good. Revoking it again changes nothing. */
  async revoke(id: string): Promise<ApiKey> {
    await this.show(id);
    await this.repository.revoke(id, new Date(this.clock.nowMs()));
    return this.show(id);
  }

  /** Moves a key to a plan; the running windows go on with the new limits. */
  async setPlan(id: string, choice: PlanChoice): Promise<ApiKey> {
    await this.entity(id);
    await this.repository.setPlan(id, planColumns(choice));
    return this.show(id);
  }

  /** Ends a ban and forgets the refusals and the doubling. */
  async unban(id: string): Promise<ApiKey> {
    const { forgivenAt } = await this.entity(id);
    // The counters compare this mark with the last one they saw, so it has to grow whatever the clock does.
    const forgivenAtMs = Math.max(this.clock.nowMs(), (forgivenAt?.getTime() ?? 0) + 1);
    await this.repository.forgive(id, new Date(forgivenAtMs));
    return this.show(id);
  }

  /** Keeps a ban on the key's row, so that it outlives the counters. */
  async recordBan(id: string, ban: KeyBan, forgivenAtMs: number): Promise<void> {
    await this.repository.recordBan(id, ban, forgivenAtMs);
  }

  existsAny(): Promise<boolean> {
    return this.repository.existsAny();
  }

  /**
   * The key behind a secret; undefined when it is malformed, unknown, revoked or expired. A wrong checksum
   * costs no query, nor does a secret asked for within the last seconds. Raises service_unavailable when the database is away.
   */
  async identify(secret: string): Promise<CallerKey | undefined> {
    if (!isWellFormedApiKey(secret)) return undefined;
    const key = await this.cache.find(hashApiKeyAsText(secret), async () => {
      const row = await this.repository.findCaller(hashApiKey(secret));
      return row && toCallerKey(row);
    });
    if (!key) return undefined;
    const nowMs = this.clock.nowMs();
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return undefined;
    this.lastUse.note(key.id, nowMs);
    return key;
  }

  private async entity(id: string): Promise<ApiKeyEntity> {
    const entity = await this.repository.find(id);
    if (!entity) throw new KeyNotFoundError(id);
    return entity;
  }

  private toApiKey(entity: ApiKeyEntity): ApiKey {
    return toApiKey(entity, this.clock.nowMs());
  }
}

function planColumns({ plan, limits }: PlanChoice) {
  return { plan, perMinute: limits?.perMinute ?? null, perDay: limits?.perDay ?? null };
}
