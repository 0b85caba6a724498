import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CallerKey } from '../auth/caller-key.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { EventsService } from '../events/events.service.js';
import { invalidBody } from '../platform/common/errors/common.errors.js';
import {
  DEFAULT_SORT_ORDER,
  decodeCursor,
  type Page,
  pageFrom,
  scopeOfOrder,
  type SortOrder,
} from '../platform/common/paging.js';
import { Clock, DAY_MS } from '../platform/common/time.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.js';
import { MAX_WAITING, type NewWebhookDto, type WebhookUpdateDto } from './dto/webhooks.dto.js';
import { SecretBox } from './secrets/secret-box.js';
import { newWebhookSecret } from './secrets/webhook-secret.js';
import { MAX_WEBHOOKS, mayHaveWebhooks } from './webhook-bounds.js';
import { isPlainHttp } from './webhook-url.js';
import type { WebhookEntity } from './webhook.entity.js';
import { tooManyWebhooks, webhookNotFound } from './webhooks.errors.js';
import { type WebhookColumns, WebhooksRepository } from './webhooks.repository.js';

/** How long the secret before a rotation still signs. */
const OLD_SECRET_SIGNS_MS = DAY_MS;

/** The only key whose webhooks the caller sees; undefined for administrators, who see all. */
const ownerOf = ({ id, access }: CallerKey) => (access === 'admin' ? undefined : id);

/** Sees the locked webhook before it changes, and throws to refuse the change. */
type Check = (webhook: WebhookEntity) => void;

/** A webhook with a secret that was just made, which callers see this once. */
export interface IssuedWebhook {
  webhook: WebhookEntity;
  secret: string;
}

/** The webhooks of the API keys: an administrator sees all, everybody else its own. What they get is `delivery/`. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly repository: WebhooksRepository,
    private readonly events: EventsService,
    private readonly keys: ApiKeysService,
    private readonly secrets: SecretBox,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Creates a webhook, which begins at the end of the feed. Only the result holds its secret.
   * @throws ApiError `invalid_body`, `too_many_webhooks`
   */
  create(caller: CallerKey, { url, types = null }: NewWebhookDto): Promise<IssuedWebhook> {
    this.refusePlainHttp(url);
    const id = randomUUID();
    const secret = newWebhookSecret();
    return this.database.transaction(async () => {
      // The lock lasts until the commit, so one webhook of the key at a time is counted, with all that were committed before.
      await this.repository.lockBound(caller.id);
      const bound = MAX_WEBHOOKS[caller.plan];
      if ((await this.repository.count(caller.id)) >= bound) throw tooManyWebhooks(caller.plan, bound);
      const webhook = await this.repository.insert({
        ...{ id, keyId: caller.id, url, types, secret: this.secrets.seal(secret, id), changedBy: caller.id },
        ...columnsOfPlace(await this.events.end()),
      });
      return { webhook, secret };
    });
  }

  /** @throws ApiError `invalid_cursor` */
  async list(
    caller: CallerKey,
    order: SortOrder | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<WebhookEntity>> {
    const scope = `listWebhooks${scopeOfOrder(order)}`;
    const after = decodeCursor(scope, cursor);
    const found = await this.repository.list(ownerOf(caller), order ?? DEFAULT_SORT_ORDER, limit + 1, after);
    return pageFrom(found, limit, scope, ({ number }) => number);
  }

  /**
   * Changes a webhook. An attempt that is under way at another address or place moves nothing any more.
   * @throws ApiError `webhook_not_found`, `invalid_body`, `invalid_cursor`, `event_expired`
   */
  async update(
    caller: CallerKey,
    id: string,
    changes: WebhookUpdateDto,
    check: Check,
  ): Promise<WebhookEntity> {
    if (changes.url !== undefined) this.refusePlainHttp(changes.url);
    return this.locked(caller, id, check, async (webhook) => {
      const place =
        changes.cursor === undefined ? undefined : await this.events.placeOf(caller, changes.cursor);
      const columns = {
        ...columnsOfUpdate(webhook, changes),
        ...(changes.status === 'active' && !(await this.mayBeActive(webhook)) && STOPPED_BY_KEY),
        ...(place && { ...columnsOfPlace(place), ...AT_ONCE }),
      };
      return this.repository.change(id, { ...columns, changedBy: caller.id });
    });
  }

  /** @throws ApiError `webhook_not_found` */
  remove(caller: CallerKey, id: string, check: Check): Promise<void> {
    return this.locked(caller, id, check, () => this.repository.remove(id));
  }

  /**
   * Gives a webhook a new secret. The newest so far signs beside it for 24 hours.
   * @throws ApiError `webhook_not_found`
   */
  rotateSecret(caller: CallerKey, id: string, check: Check): Promise<IssuedWebhook> {
    const secret = newWebhookSecret();
    return this.locked(caller, id, check, async (webhook) => {
      const changed = await this.repository.change(id, {
        secret: this.secrets.seal(secret, id),
        oldSecret: webhook.secret,
        oldSecretEndsAt: new Date(this.clock.nowMs() + OLD_SECRET_SIGNS_MS),
        changedBy: caller.id,
      });
      return { webhook: changed, secret };
    });
  }

  /** @throws ApiError `webhook_not_found` */
  async get(caller: CallerKey, id: string): Promise<WebhookEntity> {
    const webhook = await this.repository.find(id, ownerOf(caller));
    if (!webhook) throw webhookNotFound(id);
    return webhook;
  }

  /** How many events its key, which is not always the caller, sees after its place, counted up to MAX_WAITING. */
  async countWaiting({ keyId, types, position, positionBits }: WebhookEntity): Promise<number> {
    const access = (await this.keys.accessOf([keyId])).get(keyId);
    if (access === undefined) return 0;
    const place = { position, bits: Number(positionBits) };
    return this.events.count(place, { id: keyId, access }, types ?? undefined, MAX_WAITING);
  }

  private locked<Result>(
    caller: CallerKey,
    id: string,
    check: Check,
    work: (webhook: WebhookEntity) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction(async () => {
      const webhook = await this.repository.lock(id, ownerOf(caller));
      if (!webhook) throw webhookNotFound(id);
      check(webhook);
      return work(webhook);
    });
  }

  /** Whether its key, which is not always the caller, may have webhooks now. */
  private async mayBeActive({ keyId }: WebhookEntity): Promise<boolean> {
    return mayHaveWebhooks((await this.keys.accessOf([keyId])).get(keyId));
  }

  private refusePlainHttp(url: string): void {
    if (isPlainHttp(url) && !this.config.sandbox)
      throw invalidBody('url: expected an https URL, got an http URL, which only a sandbox takes');
  }
}

const columnsOfPlace = ({ position, bits }: { position: bigint; bits: number }) => ({
  position,
  positionBits: BigInt(bits),
});

/** Tries again without a wait, and ends the turn of whoever works on it. */
const AT_ONCE: WebhookColumns = { nextAttemptAt: null, lease: null };
/** It goes on with its key. */
const STOPPED_BY_KEY: WebhookColumns = { status: 'disabled', disabledReason: 'key', ...AT_ONCE };
/** What failed so far says nothing of what comes. */
const ANEW: WebhookColumns = { ...AT_ONCE, failures: 0, failingSince: null };

function columnsOfUpdate(webhook: WebhookEntity, { url, types, status }: WebhookUpdateDto): WebhookColumns {
  return {
    ...(types !== undefined && { types }),
    ...(url !== undefined && url !== webhook.url && { url, ...ANEW }),
    ...(status === 'active' && {
      status,
      disabledReason: null,
      ...(webhook.status === 'active' ? AT_ONCE : ANEW),
    }),
    ...(status === 'disabled' && { status, disabledReason: 'caller' as const, ...AT_ONCE }),
  };
}
