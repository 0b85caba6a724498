import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalidStatusTransition } from '../../platform/common/errors/common.errors.js';
import {
  decodeCursor,
  type Page,
  pageFrom,
  scopeOfOrder,
  type SortOrder,
} from '../../platform/common/paging.js';
import { Clock } from '../../platform/common/time.js';
import { Database } from '../../platform/database/database.js';
import type { Access } from '../access.js';
import { keyNotFound, noAdminOverHttp } from '../auth.errors.js';
import { newKeySecret } from './secrets/api-key-format.js';
import { type Actor, COMMAND, SERVICE } from '../actor.js';
import {
  type ApiKey,
  DEFAULT_ACCESS,
  type IssuedKey,
  type KeyEvent,
  keyIdOf,
  keyStateOf,
} from './api-key.js';
import { type KeyBan, type LimitedKey, toLimitedKey } from '../caller-key.js';
import type { KeyFilter } from './key-filter.js';
import { ApiKeysRepository, type KeyChange } from './api-keys.repository.js';
import { keyColumnsFrom, type KeyUpdate, type NewKey } from './key-fields.js';
import { actorOf, requireRight, type Requester, type Right } from './right-to-change.js';
import { KeySecretsRepository } from './secrets/key-secrets.repository.js';

/** Sees the locked key before it changes, and throws to refuse the change. */
type Check = (key: ApiKey) => void;
const ANY: Check = () => undefined;
const KEYS_PER_READ = 1_000;

const OF_ADMINISTRATORS: Right = { access: 'admin', isNewestOnly: false };
/** Every key may rotate itself. */
const OF_ITSELF: Right = { access: 'read', isNewestOnly: true };

/** What a change does to the locked key; undefined: nothing. */
type Effect = Pick<KeyChange, 'columns' | 'recorded'> | undefined;

/**
 * Issues, shows and changes API keys. Every change, its event and the check of the key that asks for it are one transaction; simultaneous
 * changes of a key follow each other. Only commands issue and change keys with `admin` access; such a key may rotate itself.
 * A key that asks for a change and may no longer do so gets `invalid_api_key` or `insufficient_access`.
 */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly secrets: KeySecretsRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues a key. Only the result holds its secret.
   * @throws ApiError `insufficient_access`
   */
  async create(fields: NewKey, requester: Requester): Promise<IssuedKey> {
    if (fields.access === 'admin') refuseUnlessCommand(requester);
    const { key: secret, stored } = newKeySecret();
    const id = randomUUID();
    const columns = { id, access: DEFAULT_ACCESS, ...keyColumnsFrom(fields), prefix: stored.prefix };
    const key = await this.locked(undefined, requester, OF_ADMINISTRATORS, async () => {
      await this.secrets.insert(id, stored);
      return this.repository.insert(columns, actorOf(requester));
    });
    return { key, secret };
  }

  /**
   * One page of keys, oldest first by default, revoked ones included.
   * @throws ApiError `invalid_cursor`
   */
  async list(filter: KeyFilter, limit: number, cursor: string | undefined): Promise<Page<ApiKey>> {
    const { order, ...filters } = filter;
    const { plan, access, state, q, reference, condition } = filters;
    const values = JSON.stringify([plan, access, state, q, reference, condition?.name]);
    const scope = `listKeys ${values}${scopeOfOrder(order)}`;
    const afterId = decodeCursor(scope, cursor);
    const found = await this.repository.list(filter, this.now(), limit + 1, afterId);
    return pageFrom(found, limit, scope, ({ number }) => number);
  }

  /** The same for commands, in pieces. `afterId`: only keys that follow this one; `limit`: the most keys. */
  async *listAll(filter: KeyFilter, afterId?: string, limit = Infinity): AsyncGenerator<ApiKey[]> {
    let after = afterId === undefined ? 0n : (await this.get(afterId)).number;
    for (let left = limit; left > 0;) {
      const count = Math.min(left, KEYS_PER_READ);
      const found = await this.repository.list(filter, this.now(), count, after);
      const last = found.at(-1);
      if (!last) return;
      yield found;
      after = last.number;
      left -= found.length;
    }
  }

  /**
   * A key as its limits need it, also when it is revoked or has expired.
   * @throws ApiError `key_not_found`, also for a key that no request is accepted with, because its row has no limits
   */
  async limited(id: string): Promise<LimitedKey> {
    const key = toLimitedKey(await this.get(id));
    if (!key) throw keyNotFound(id);
    return key;
  }

  /** @throws ApiError `key_not_found` */
  async get(id: string): Promise<ApiKey> {
    const key = await this.repository.find(id);
    if (!key) throw keyNotFound(id);
    return key;
  }

  /**
   * One page of what was done to a key.
   * @throws ApiError `key_not_found`, `invalid_cursor`
   */
  async events(
    id: string,
    order: SortOrder,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<KeyEvent>> {
    const scope = `listKeyEvents ${id}${scopeOfOrder(order)}`;
    const afterId = decodeCursor(scope, cursor);
    await this.get(id);
    const found = await this.repository.events(id, order, limit + 1, afterId);
    return pageFrom(found, limit, scope, (event) => event.id);
  }

  /** The names that those of these actors have now that are keys, by actor. */
  async namesOfActors(actors: readonly Actor[]): Promise<Map<Actor, string>> {
    const ids = actors.filter((actor) => keyIdOf(actor) !== undefined);
    return ids.length === 0 ? new Map() : this.repository.namesOf(ids);
  }

  /**
   * Changes fields of a key; the running windows continue with new limits. An expired key comes back with a later expiry.
   * @throws ApiError `key_not_found`, `insufficient_access`, `invalid_status_transition` for a new expiry of a revoked key
   */
  async update(id: string, changes: KeyUpdate, requester: Requester, check = ANY): Promise<ApiKey> {
    if (changes.access === 'admin') refuseUnlessCommand(requester);
    return this.change(id, 'updated', requester, check, (key) => {
      const columns = keyColumnsFrom(changes);
      const isSameExpiry = columns.expiresAt?.getTime() === key.expiresAt?.getTime();
      if (columns.expiresAt !== undefined && !isSameExpiry && key.revokedAt)
        throw invalidStatusTransition('state', 'revoked', 'active');
      return { columns };
    });
  }

  /**
   * Gives a key a new secret. The newest one so far works for another `overlapMs`, each older one until its own end; an overlap of 0
   * ends them all. A key rotates itself with its newest secret only.
   * @throws ApiError `key_not_found`, `insufficient_access`, `outdated_secret`, `invalid_status_transition` for a revoked or expired key
   */
  async rotate(id: string, overlapMs: number, requester: Requester, check = ANY): Promise<IssuedKey> {
    const { key: secret, stored } = newKeySecret();
    const rotated = await this.change(id, 'rotated', requester, check, async (key) => {
      const nowMs = this.clock.nowMs();
      const state = keyStateOf(key, nowMs);
      if (state === 'revoked' || state === 'expired')
        throw invalidStatusTransition('state', state, 'rotated');
      await this.secrets.rotate(id, stored, nowMs, overlapMs);
      const oldSecretEndsAt = { before: null, after: new Date(nowMs + overlapMs).toISOString() };
      return { columns: { prefix: stored.prefix }, recorded: { oldSecretEndsAt } };
    });
    return { key: rotated, secret };
  }

  /**
   * Revokes a key for good. A second revocation changes nothing.
   * @throws ApiError `key_not_found`, `insufficient_access`
   */
  revoke(id: string, requester: Requester, check = ANY): Promise<ApiKey> {
    return this.change(id, 'revoked', requester, check, (key) =>
      key.revokedAt ? undefined : { columns: { revokedAt: this.now() } },
    );
  }

  /**
   * Ends a ban and resets the refusals and the doubling.
   * @throws ApiError `key_not_found`, `insufficient_access`
   */
  unban(id: string, requester: Requester, check = ANY): Promise<ApiKey> {
    return this.change(id, 'unbanned', requester, check, ({ penaltiesResetAt }) => {
      // The counters compare this mark with the last one they saw, so it must grow although the clock may step back.
      const resetAtMs = Math.max(this.clock.nowMs(), (penaltiesResetAt?.getTime() ?? 0) + 1);
      return { columns: { penaltiesResetAt: new Date(resetAtMs), bannedUntil: null, banDurationMs: null } };
    });
  }

  /**
   * Stores a ban on the row of its key, so that it outlives the counters. The row keeps the ban that ends last. `penaltiesResetAtMs`: the
   * mark that the counters used; a ban that they started before they knew of an unban has an older one, and is not stored.
   */
  async recordBan(id: string, { untilMs, durationMs }: KeyBan, penaltiesResetAtMs: number): Promise<void> {
    await this.write(id, 'banned', SERVICE, ({ bannedUntil, penaltiesResetAt }) => {
      if ((penaltiesResetAt?.getTime() ?? 0) !== penaltiesResetAtMs) return undefined;
      if (bannedUntil && bannedUntil.getTime() >= untilMs) return undefined;
      return { columns: { bannedUntil: new Date(untilMs), banDurationMs: durationMs } };
    });
  }

  /** What those of these keys may do that are neither revoked nor expired, by id. */
  accessOf(ids: readonly string[]): Promise<Map<string, Access>> {
    return this.repository.accessOfLive(ids, this.now());
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
    kind: KeyChange['kind'],
    requester: Requester,
    check: Check,
    decide: (key: ApiKey) => Effect | Promise<Effect>,
  ): Promise<ApiKey> {
    const changed = await this.write(id, kind, requester, (key) => {
      if (key.access === 'admin' && !rotatesItself(id, kind, requester)) refuseUnlessCommand(requester);
      check(key);
      return decide(key);
    });
    if (!changed) throw keyNotFound(id);
    return changed;
  }

  /** Changes a key and resolves with it; null for an unknown key. `decide` sees the locked key, and throws to refuse the change. */
  private write(
    id: string,
    kind: KeyChange['kind'],
    requester: Requester,
    decide: (key: ApiKey) => Effect | Promise<Effect>,
  ): Promise<ApiKey | null> {
    const right = rotatesItself(id, kind, requester) ? OF_ITSELF : OF_ADMINISTRATORS;
    return this.locked(id, requester, right, async (key) => {
      const decision = key && (await decide(key));
      return decision ? this.repository.change(key, { kind, actor: actorOf(requester), ...decision }) : key;
    });
  }

  /** Runs `work` in one transaction with the key `id` locked, once the requester, where it is a key, is known to have this right still. */
  private locked<Result>(
    id: string | undefined,
    requester: Requester,
    right: Right,
    work: (key: ApiKey | null) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction(async () => {
      const asking = typeof requester === 'string' ? undefined : requester;
      const { changed, acting } = await this.repository.lock({ changed: id, acting: asking?.id });
      if (asking) {
        const secret = await this.secrets.find(asking.secretNumber);
        requireRight(acting, secret, right, this.clock.nowMs());
      }
      return work(changed);
    });
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

const rotatesItself = (id: string, kind: KeyChange['kind'], requester: Requester) =>
  kind === 'rotated' && id === actorOf(requester);

/** @throws ApiError `insufficient_access` */
function refuseUnlessCommand(requester: Requester): void {
  if (requester !== COMMAND && requester !== SERVICE) throw noAdminOverHttp();
}
