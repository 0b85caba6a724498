import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/time.js';
import { RefusedInputError } from '../../platform/common/errors/api-error.js';
import { keyNotFound } from '../auth.errors.js';
import { displayPrefix, generateApiKey, hashApiKey } from './api-key-format.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { toApiKey, type ApiKey, type IssuedApiKey, type KeyBan, type KeyHistory } from './api-key.js';
import { ApiKeysRepository, describePlan } from './api-keys.repository.js';
import type { PlanChoice } from '../plans.js';
import type { NewKey } from './key-rules.js';

/**
 * Issues and changes API keys.
 * @throws RefusedInputError with one line for the operator
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  /** Issues a key. Only the result holds its secret. */
  async create({ validForMs, ...properties }: NewKey): Promise<IssuedApiKey> {
    const id = randomUUID();
    const { key, columns } = newSecret();
    await this.repository.insert({
      id,
      ...properties,
      ...columns,
      expiresAt: validForMs === undefined ? null : new Date(this.clock.nowMs() + validForMs),
    });
    return { ...(await this.show(id)), key };
  }

  /** Issues a free key and resolves with its secret; undefined if there is a key already. A newcomer needs one command only. */
  async createDemoKey(): Promise<string | undefined> {
    const { done: isEmpty } = await this.repository.list().next();
    if (!isEmpty) return undefined;
    const limits = { plan: 'free', perMinute: null, perDay: null } as const;
    const { key } = await this.create({ name: 'demo', ...limits, access: 'manage' });
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
    return { key: await this.show(id), events: await this.repository.events(id) };
  }

  /**
   * Gives a key a new secret. The current secret works for another `overlapMs`; an older one ends at once.
   * Refuses revoked and expired keys.
   */
  async rotate(id: string, overlapMs: number): Promise<IssuedApiKey> {
    const { expiresAt } = await this.entity(id);
    const nowMs = this.clock.nowMs();
    if (expiresAt && expiresAt.getTime() <= nowMs)
      throw new RefusedInputError('an expired key cannot be rotated');
    const oldSecretEndsAt = new Date(nowMs + overlapMs);
    const { key, columns } = newSecret();
    const isRotated = await this.repository.change(
      id,
      'rotated',
      { ...columns, oldSecretHash: () => 'secret_hash', oldSecretEndsAt },
      `the secret before works until ${oldSecretEndsAt.toISOString()}`,
    );
    if (!isRotated) throw new RefusedInputError('a revoked key cannot be rotated');
    return { ...(await this.show(id)), key };
  }

  /** Revokes a key for good. A second revocation changes nothing. */
  async revoke(id: string): Promise<ApiKey> {
    await this.repository.change(id, 'revoked', { revokedAt: new Date(this.clock.nowMs()) });
    return this.show(id);
  }

  /** Moves a key to a plan; the running windows continue with the new limits. */
  async setPlan(id: string, choice: PlanChoice): Promise<ApiKey> {
    await this.repository.change(id, 'plan-changed', choice, describePlan(choice));
    return this.show(id);
  }

  /** Ends a ban and resets the refusals and the doubling. */
  async unban(id: string): Promise<ApiKey> {
    const { penaltiesResetAt } = await this.entity(id);
    // The counters compare this mark with the last one they saw, so it must grow although the clock may step back.
    const resetAtMs = Math.max(this.clock.nowMs(), (penaltiesResetAt?.getTime() ?? 0) + 1);
    const columns = { penaltiesResetAt: new Date(resetAtMs), bannedUntil: null, banDurationMs: null };
    await this.repository.change(id, 'unbanned', columns);
    return this.show(id);
  }

  /** Stores a ban on the row of its key, so that it outlives the counters. `penaltiesResetAtMs`: the mark that they used. */
  recordBan(id: string, ban: KeyBan, penaltiesResetAtMs: number): Promise<void> {
    return this.repository.recordBan(id, ban, penaltiesResetAtMs);
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

function newSecret(): { key: string; columns: Pick<ApiKeyEntity, 'prefix' | 'secretHash'> } {
  const key = generateApiKey();
  return { key, columns: { prefix: displayPrefix(key), secretHash: hashApiKey(key) } };
}
