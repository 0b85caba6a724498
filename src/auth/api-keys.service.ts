import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { toApiKey, toCallerKey } from './api-key.mapper.js';
import type { ApiKey, CallerKey, IssuedApiKey, KeyBan } from './api-key.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { CallerCache } from './caller-cache.js';
import { KeyNotFoundError, KeyRefusedError } from './auth.errors.js';
import { MAX_LIMIT, PLANS, PLAN_NAMES, type Plan, type PlanLimits } from './plans.js';

/** What a key is issued with. `limits`: enterprise only, and there required. */
export interface NewKey {
  name: string;
  plan: string;
  limits?: Partial<PlanLimits>;
  readOnly?: boolean;
  /** How long from now the key is valid; absent: for ever. */
  validForMs?: number;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NAME_MAX_CHARACTERS = 100;

/** The life of API keys. Bad input raises KeyRefusedError or KeyNotFoundError, each with one line for people. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly cache: CallerCache,
    private readonly clock: Clock,
  ) {}

  /** Issues a key. Its secret is in the answer and nowhere else. */
  async create(request: NewKey): Promise<IssuedApiKey> {
    const name = checkedName(request.name);
    const plan = checkedPlan(request.plan);
    const limits = checkedLimits(plan, request.limits ?? {});
    const key = generateApiKey();
    const entity = await this.repository.insert({
      id: randomUUID(),
      name,
      plan,
      perMinute: limits?.perMinute ?? null,
      perDay: limits?.perDay ?? null,
      readOnly: request.readOnly ?? false,
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

  /** Ends a key for good. Revoking it again changes nothing. */
  async revoke(id: string): Promise<ApiKey> {
    await this.show(id);
    await this.repository.revoke(id, new Date(this.clock.nowMs()));
    return this.show(id);
  }

  /** Moves a key to a plan; the running windows go on with the new limits. */
  async setPlan(id: string, planName: string, limits: Partial<PlanLimits> = {}): Promise<ApiKey> {
    const plan = checkedPlan(planName);
    const own = checkedLimits(plan, limits);
    await this.entity(id);
    await this.repository.setPlan(id, {
      plan,
      perMinute: own?.perMinute ?? null,
      perDay: own?.perDay ?? null,
    });
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
    const hash = hashApiKey(secret);
    const key = await this.cache.find(hash.toString('base64'), async () => {
      const row = await this.repository.findCaller(hash);
      return row && toCallerKey(row);
    });
    return key && (key.expiresAtMs === null || key.expiresAtMs > this.clock.nowMs()) ? key : undefined;
  }

  private async entity(id: string): Promise<ApiKeyEntity> {
    const entity = UUID.test(id) ? await this.repository.find(id) : null;
    if (!entity) throw new KeyNotFoundError(id);
    return entity;
  }

  private toApiKey(entity: ApiKeyEntity): ApiKey {
    return toApiKey(entity, this.clock.nowMs());
  }
}

function checkedName(name: string): string {
  const isPrintable = name.isWellFormed() && !/\p{Cc}/u.test(name) && name.trim() !== '';
  if (!isPrintable || Array.from(name).length > NAME_MAX_CHARACTERS) {
    throw new KeyRefusedError(`--name: expected 1 to ${String(NAME_MAX_CHARACTERS)} printable characters`);
  }
  return name;
}

function checkedPlan(plan: string): Plan {
  if (!Object.hasOwn(PLANS, plan))
    throw new KeyRefusedError(`plan: expected one of ${PLAN_NAMES.join(', ')}`);
  return plan as Plan;
}

/** The limits to keep on the key itself; undefined where the plan has them. */
function checkedLimits(plan: Plan, limits: Partial<PlanLimits>): PlanLimits | undefined {
  const { perMinute, perDay } = limits;
  if (PLANS[plan] !== null) {
    if (perMinute === undefined && perDay === undefined) return undefined;
    throw new KeyRefusedError('--per-minute and --per-day go with the plan enterprise only');
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new KeyRefusedError('the plan enterprise needs --per-minute and --per-day');
  }
  return { perMinute: checkedLimit('--per-minute', perMinute), perDay: checkedLimit('--per-day', perDay) };
}

function checkedLimit(option: string, limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new KeyRefusedError(`${option}: expected an integer from 1 to ${String(MAX_LIMIT)}`);
  }
  return limit;
}
