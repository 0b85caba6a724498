import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalidStatusTransition } from '../../platform/common/errors/common.errors.js';
import { decodeCursor, type Page, pageFrom } from '../../platform/common/paging.js';
import { Clock } from '../../platform/common/time.js';
import { keyNotFound, noAdminOverHttp } from '../auth.errors.js';
import { newSecret } from './api-key-format.js';
import type { ApiKeyEntity, KeyEventEntity, KeyEventKind } from './api-key.entity.js';
import {
  type Actor,
  COMMAND,
  DEFAULT_ACCESS,
  type KeyBan,
  type KeyFilter,
  SERVICE,
  stateOf,
} from './api-key.js';
import { ApiKeysRepository, type ColumnChanges, columnsOf } from './api-keys.repository.js';
import { type IssuedKeyDto, KeyDto, type KeyUpdateDto, type NewKeyDto } from './dto/keys.dto.js';

/** Sees the locked key before it changes, and throws to refuse the change. */
type Check = (key: KeyDto) => void;
const ANY: Check = () => undefined;
const KEYS_PER_READ = 1_000;

/**
 * Issues, shows and changes API keys. Every change and its event are one transaction; simultaneous changes of a key follow each
 * other. Only commands issue and change keys with `admin` access; such a key may rotate itself.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues a key. Only the result holds its secret.
   * @throws ApiError `insufficient_access`
   */
  async create(fields: NewKeyDto, actor: Actor): Promise<IssuedKeyDto> {
    if (fields.access === 'admin') refuseUnlessCommand(actor);
    const { key, columns } = newSecret();
    const properties = { id: randomUUID(), access: DEFAULT_ACCESS, ...columnsOf(fields) };
    const issued = await this.repository.insert({ ...properties, ...columns }, actor);
    return Object.assign(KeyDto.of(issued, null, this.clock.nowMs()), { key });
  }

  /**
   * One page of keys, oldest first, revoked ones included.
   * @throws ApiError `invalid_cursor`
   */
  async list(filter: KeyFilter, limit: number, cursor: string | undefined): Promise<Page<KeyDto>> {
    const { plan, access, state, name, reference } = filter;
    const scope = `listKeys ${JSON.stringify([plan, access, state, name, reference])}`;
    const afterId = decodeCursor(scope, cursor);
    const found = await this.repository.list(filter, this.now(), limit + 1, afterId);
    const { items, nextCursor } = pageFrom(found, limit, scope, ({ number }) => number);
    return { items: await this.shown(items), nextCursor };
  }

  /** The same for commands, in pieces. `afterId`: only keys that follow this one; `limit`: the most keys. */
  async *listAll(filter: KeyFilter, afterId?: string, limit = Infinity): AsyncGenerator<KeyDto[]> {
    let after = afterId === undefined ? 0n : (await this.entity(afterId)).number;
    for (let left = limit; left > 0;) {
      const count = Math.min(left, KEYS_PER_READ);
      const found = await this.repository.list(filter, this.now(), count, after);
      const last = found.at(-1);
      if (!last) return;
      yield this.shown(found);
      after = last.number;
      left -= found.length;
    }
  }

  /** @throws ApiError `key_not_found` */
  async get(id: string): Promise<KeyDto> {
    return this.shownOne(await this.entity(id));
  }

  /**
   * One page of what was done to a key, oldest first.
   * @throws ApiError `key_not_found`, `invalid_cursor`
   */
  async events(id: string, limit: number, cursor: string | undefined): Promise<Page<KeyEventEntity>> {
    const scope = `listKeyEvents ${id}`;
    const afterId = decodeCursor(scope, cursor);
    await this.entity(id);
    const found = await this.repository.events(id, limit + 1, afterId);
    return pageFrom(found, limit, scope, (event) => event.id);
  }

  /**
   * Changes fields of a key; the running windows continue with new limits. An expired key comes back with a later expiry.
   * @throws ApiError `key_not_found`, `insufficient_access`, `invalid_status_transition` for a new expiry of a revoked key
   */
  async update(id: string, changes: KeyUpdateDto, actor: Actor, check = ANY): Promise<KeyDto> {
    if (changes.access === 'admin') refuseUnlessCommand(actor);
    return this.change(id, 'updated', actor, check, (key) => {
      const columns = columnsOf(changes);
      const isSameExpiry = columns.expiresAt?.getTime() === key.expiresAt?.getTime();
      if (columns.expiresAt !== undefined && !isSameExpiry && key.revokedAt)
        throw invalidStatusTransition('state', 'revoked', 'active');
      return columns;
    });
  }

  /**
   * Gives a key a new secret. The current secret works for another `overlapMs`; an older one ends at once.
   * @throws ApiError `key_not_found`, `insufficient_access`, `invalid_status_transition` for a revoked or expired key
   */
  async rotate(id: string, overlapMs: number, actor: Actor, check = ANY): Promise<IssuedKeyDto> {
    const { key: secret, columns } = newSecret();
    const shown = await this.change(id, 'rotated', actor, check, (key) => {
      const nowMs = this.clock.nowMs();
      const state = stateOf(key, nowMs);
      if (state === 'revoked' || state === 'expired')
        throw invalidStatusTransition('state', state, 'rotated');
      return { ...columns, oldSecretHash: key.secretHash, oldSecretEndsAt: new Date(nowMs + overlapMs) };
    });
    return Object.assign(shown, { key: secret });
  }

  /**
   * Revokes a key for good. A second revocation changes nothing.
   * @throws ApiError `key_not_found`, `insufficient_access`
   */
  revoke(id: string, actor: Actor, check = ANY): Promise<KeyDto> {
    return this.change(id, 'revoked', actor, check, (key) =>
      key.revokedAt ? undefined : { revokedAt: this.now() },
    );
  }

  /**
   * Ends a ban and resets the refusals and the doubling.
   * @throws ApiError `key_not_found`, `insufficient_access`
   */
  unban(id: string, actor: Actor, check = ANY): Promise<KeyDto> {
    return this.change(id, 'unbanned', actor, check, ({ penaltiesResetAt }) => {
      // The counters compare this mark with the last one they saw, so it must grow although the clock may step back.
      const resetAtMs = Math.max(this.clock.nowMs(), (penaltiesResetAt?.getTime() ?? 0) + 1);
      return { penaltiesResetAt: new Date(resetAtMs), bannedUntil: null, banDurationMs: null };
    });
  }

  /**
   * Stores a ban on the row of its key, so that it outlives the counters. The row keeps the ban that ends last. `penaltiesResetAtMs`: the
   * mark that the counters used; a ban that they started before they knew of an unban has an older one, and is not stored.
   */
  async recordBan(id: string, { untilMs, durationMs }: KeyBan, penaltiesResetAtMs: number): Promise<void> {
    await this.repository.change(id, 'banned', SERVICE, ({ bannedUntil, penaltiesResetAt }) => {
      if ((penaltiesResetAt?.getTime() ?? 0) !== penaltiesResetAtMs) return undefined;
      if (bannedUntil && bannedUntil.getTime() >= untilMs) return undefined;
      return { bannedUntil: new Date(untilMs), banDurationMs: durationMs };
    });
  }

  /** How many orders of this key are placed or approved. */
  countOpenOrders(id: string): Promise<number> {
    return this.repository.countOpenOrders(id);
  }

  /** How many keys in use expire within this time. */
  countExpiring(withinMs: number): Promise<number> {
    const nowMs = this.clock.nowMs();
    return this.repository.countExpiring(new Date(nowMs), new Date(nowMs + withinMs));
  }

  /** How many of these keys each plan has. */
  async countByPlan(ids: readonly string[]): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { plan } of await this.repository.plansOf(ids)) counts[plan] = (counts[plan] ?? 0) + 1;
    return counts;
  }

  private async change(
    id: string,
    kind: KeyEventKind,
    actor: Actor,
    check: Check,
    decide: (key: ApiKeyEntity) => ColumnChanges | undefined,
  ): Promise<KeyDto> {
    const changed = await this.repository.change(id, kind, actor, (key) => {
      const rotatesItself = kind === 'rotated' && key.id === actor;
      if (key.access === 'admin' && !rotatesItself) refuseUnlessCommand(actor);
      check(KeyDto.of(key, null, this.clock.nowMs()));
      return decide(key);
    });
    if (!changed) throw keyNotFound(id);
    return this.shownOne(changed);
  }

  private async entity(id: string): Promise<ApiKeyEntity> {
    const entity = await this.repository.find(id);
    if (!entity) throw keyNotFound(id);
    return entity;
  }

  private async shown(entities: readonly ApiKeyEntity[]): Promise<KeyDto[]> {
    const lastUses = await this.repository.lastUses(entities.map(({ id }) => id));
    const nowMs = this.clock.nowMs();
    return entities.map((entity) => KeyDto.of(entity, lastUses.get(entity.id) ?? null, nowMs));
  }

  private async shownOne(entity: ApiKeyEntity): Promise<KeyDto> {
    const [key] = (await this.shown([entity])) as [KeyDto];
    return key;
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

/** @throws ApiError `insufficient_access` */
function refuseUnlessCommand(actor: Actor): void {
  if (actor !== COMMAND && actor !== SERVICE) throw noAdminOverHttp();
}
