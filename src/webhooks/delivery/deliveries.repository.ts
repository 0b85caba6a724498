import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns-of.js';
import { Database, type Statement } from '../../platform/database/database.js';
import type { FeedPlace } from '../../events/feed/event-cursor.js';
import type { DisabledReason } from '../../events/dto/events.dto.js';
import type { Outcome } from '../sending/outcome.js';
import { WebhookEntity } from '../webhook.entity.js';

/** Longer than an attempt with its statements, so that no other replica begins while this one works. */
const LEASE = `interval '20 seconds'`;
/** A webhook that only failed for so long is disabled. */
const FAILING = `interval '5 days'`;
const COLUMNS = columnsOf(WebhookEntity).replaceAll(/(^|, )(?=\w)/g, '$1webhooks.');

const IS_DUE = `status = 'active' and (next_attempt_at is null or next_attempt_at <= now())
  and (lease is null or lease_ends_at <= now())`;

/** Those whose last turn is the longest ago come first. */
const CANDIDATES: Statement = {
  name: 'webhooks-with-a-turn',
  text: `select id, key_id as "keyId", types, position, position_bits as "positionBits", failures > 0 as "isFailing"
    from webhooks where ${IS_DUE} and position < $1 and key_id <> all($2::uuid[]) and (failures = 0 or $3::boolean)
    order by lease_ends_at nulls first, number limit $4`,
};

// Replicas that want the same rows take what the others leave, and never wait for each other.
const PASS: Statement = {
  name: 'pass-events-of-webhooks',
  text: `with passed as (
      select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[]) as given (id, before, place, bits, missed)
    ), held as (
      select id from webhooks where id = any($1::uuid[]) and ${IS_DUE} order by id for update skip locked
    )
    update webhooks set position = place, position_bits = bits, missed = webhooks.missed or passed.missed, lease = null, lease_ends_at = now()
    from passed join held using (id) where webhooks.id = passed.id and webhooks.position = before`,
};

const CLAIM: Statement = {
  name: 'claim-webhooks',
  text: `with held as (
      select id from webhooks where id = any($1::uuid[]) and ${IS_DUE} order by id for update skip locked
    )
    update webhooks set lease = $2::uuid, lease_ends_at = now() + ${LEASE} from held where webhooks.id = held.id returning ${COLUMNS}`,
};

/** What an outcome needs to find as the attempt began with it. */
const AS_BEGUN = `id = $1 and lease = $2::uuid and url = $3 and position = $4 and status = 'active'`;

const DELIVERED: Statement = {
  name: 'note-delivered-event',
  text: `update webhooks set position = $5, position_bits = $6, missed = missed or $7::boolean, last_attempt_at = now(), last_status = $8,
      last_error = null, failures = 0, failing_since = null, next_attempt_at = null, lease_ends_at = now() + ${LEASE}
    where ${AS_BEGUN} returning ${COLUMNS}`,
};

const FAILED: Statement = {
  name: 'note-failed-attempt',
  text: `with judged as (
      select id, case when $10::boolean then 'gone' when failing_since <= now() - ${FAILING} then 'failing' end as reason
      from webhooks where ${AS_BEGUN} for update
    )
    update webhooks set position = $5, position_bits = $6, missed = missed or $7::boolean, last_attempt_at = now(), last_status = $8::int,
      last_error = $9::text,
      failures = failures + 1, failing_since = coalesce(failing_since, now()), lease = null, lease_ends_at = now(),
      next_attempt_at = case when reason is null then now() + $11::float8 * interval '1 ms' end,
      status = case when reason is null then status else 'disabled' end, disabled_reason = reason, changed_by = 'service'
    from judged where webhooks.id = judged.id returning reason`,
};

const GIVE_BACK: Statement = {
  name: 'give-webhook-back',
  text: `update webhooks set position = $5, position_bits = $6, missed = missed or $7::boolean, lease = null, lease_ends_at = now(),
      next_attempt_at = case when $8::float8 is null then next_attempt_at else now() + $8 * interval '1 ms' end
    where ${AS_BEGUN}`,
};

const KEYS: Statement = {
  name: 'keys-of-webhooks',
  text: `select key_id as "keyId", bool_or(status = 'active') as "isActive", bool_or(status = 'disabled') as "isStopped",
      (count(*) filter (where status = 'active' and failures > 0))::int as "failingCount"
    from webhooks where key_id > $1::uuid and (status = 'active' or disabled_reason = 'key') group by key_id order by key_id limit $2`,
};

const STOP: Statement = {
  name: 'stop-webhooks-of-keys',
  text: `with held as (
      select id from webhooks where key_id = any($1::uuid[]) and status = 'active' order by id for update skip locked
    )
    update webhooks set status = 'disabled', disabled_reason = 'key', lease = null, next_attempt_at = null, changed_by = 'service'
    from held where webhooks.id = held.id`,
};

const RESUME: Statement = {
  name: 'resume-webhooks-of-keys',
  text: `with held as (
      select id from webhooks where key_id = any($1::uuid[]) and disabled_reason = 'key' order by id for update skip locked
    )
    update webhooks set status = 'active', disabled_reason = null, failures = 0, failing_since = null, changed_by = 'service'
    from held where webhooks.id = held.id`,
};

/** Sets the end of a test unless another one runs. */
const BEGIN_TEST: Statement = {
  name: 'begin-test-of-webhook',
  text: `update webhooks set test_ends_at = now() + $2::float8 * interval '1 ms'
    where id = $1 and (test_ends_at is null or test_ends_at <= now()) returning 1 as begun`,
};

const END_TEST: Statement = {
  name: 'end-test-of-webhook',
  text: 'update webhooks set test_ends_at = null where id = $1',
};

/** A webhook that may have a turn. */
export type Candidate = Pick<WebhookEntity, 'id' | 'keyId' | 'types' | 'position' | 'positionBits'> & {
  isFailing: boolean;
};

/** A webhook of this replica, with its lease. Attempts begin with its state, and outcomes need it unchanged. */
export type ClaimedWebhook = WebhookEntity & { lease: string };

/** Where a webhook goes on, and whether it missed events on the way. */
export interface Progress {
  place: FeedPlace;
  missed: boolean;
}

/** The keys of webhooks that are active or stopped because of their key. */
export interface KeyOfWebhooks {
  keyId: string;
  isActive: boolean;
  /** Some are disabled because of the key. */
  isStopped: boolean;
  /** The active ones whose last attempt failed. */
  failingCount: number;
}

/** The statements of deliveries. Times are those of the database, which all replicas share. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` webhooks behind `position` whose turn it is. */
  candidates(
    position: bigint,
    withoutKeys: readonly string[],
    withFailing: boolean,
    limit: number,
  ): Promise<Candidate[]> {
    return this.database.query<Candidate>(CANDIDATES, [position, withoutKeys, withFailing, limit]);
  }

  /** Moves webhooks that nobody works on past events that they do not get. */
  async pass(passes: readonly (Progress & Pick<Candidate, 'id' | 'position'>)[]): Promise<void> {
    await this.database.query(PASS, [
      passes.map(({ id }) => id),
      passes.map(({ position }) => position),
      passes.map(({ place }) => place.position),
      passes.map(({ place }) => place.bits),
      passes.map(({ missed }) => missed),
    ]);
  }

  /** Takes those of these webhooks that are still due and that no other replica takes. */
  claim(ids: readonly string[], lease: string): Promise<ClaimedWebhook[]> {
    return this.database.query<ClaimedWebhook>(CLAIM, [ids, lease]);
  }

  /** Notes a success and prolongs the lease. Resolves with the webhook as it is now; undefined: the outcome came too late. */
  async delivered(
    webhook: ClaimedWebhook,
    { place, missed }: Progress,
    status: number | null,
  ): Promise<ClaimedWebhook | undefined> {
    const values = [...begun(webhook), place.position, place.bits, missed, status];
    const [row] = await this.database.query<ClaimedWebhook>(DELIVERED, values);
    return row;
  }

  /** Notes a failure and gives the webhook back before the event. Resolves with why it is disabled by that; null: it is not. */
  async failed(
    webhook: ClaimedWebhook,
    { place, missed }: Progress,
    { status, error }: Outcome,
    isGone: boolean,
    waitMs: number,
  ): Promise<DisabledReason | null> {
    const values = [...begun(webhook), place.position, place.bits, missed, status, error, isGone, waitMs];
    const [row] = await this.database.query<{ reason: DisabledReason | null }>(FAILED, values);
    return row?.reason ?? null;
  }

  /** Gives a webhook back at a place. `waitMs`: how long it has no turn. */
  async giveBack(
    webhook: ClaimedWebhook,
    { place, missed }: Progress,
    waitMs: number | null = null,
  ): Promise<void> {
    await this.database.query(GIVE_BACK, [...begun(webhook), place.position, place.bits, missed, waitMs]);
  }

  /** At most `limit` keys after this one. */
  keys(afterId: string, limit: number): Promise<KeyOfWebhooks[]> {
    return this.database.query<KeyOfWebhooks>(KEYS, [afterId, limit]);
  }

  async stop(keyIds: readonly string[]): Promise<void> {
    await this.database.query(STOP, [keyIds]);
  }

  async resume(keyIds: readonly string[]): Promise<void> {
    await this.database.query(RESUME, [keyIds]);
  }

  /** Resolves with false where a test of the webhook runs. */
  async beginTest(id: string, withinMs: number): Promise<boolean> {
    return (await this.database.query(BEGIN_TEST, [id, withinMs])).length > 0;
  }

  async endTest(id: string): Promise<void> {
    await this.database.query(END_TEST, [id]);
  }
}

/** The values of AS_BEGUN. */
const begun = ({ id, lease, url, position }: ClaimedWebhook) => [id, lease, url, position];
