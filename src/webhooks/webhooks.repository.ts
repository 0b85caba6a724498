import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Between, Repository } from 'typeorm';
import type { SortOrder } from '../platform/common/paging.js';
import { Database, type Statement } from '../platform/database/database.js';
import { boundsAfter } from '../platform/database/keyset.js';
import { WebhookEntity } from './webhook.entity.js';

/** The columns of a webhook that change. */
export type WebhookColumns = Partial<Omit<WebhookEntity, 'id' | 'number' | 'keyId' | 'createdAt'>>;

// The transaction holds the lock until it ends. Keys with the same 64 bits wait for each other.
const LOCK_BOUND: Statement = {
  name: 'lock-webhooks-of-key',
  text: 'select pg_advisory_xact_lock($1::bigint)',
};

/** The webhooks as callers see and change them. `keyId`: only if the webhook is of this key. */
@Injectable()
export class WebhooksRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
  ) {}

  async insert(webhook: WebhookColumns & Pick<WebhookEntity, 'id' | 'keyId'>): Promise<WebhookEntity> {
    await this.webhooks.insert(webhook);
    return this.webhooks.findOneByOrFail({ id: webhook.id });
  }

  /** Lets one transaction at a time count the webhooks of a key, until it ends. */
  async lockBound(keyId: string): Promise<void> {
    await this.database.query(LOCK_BOUND, [hash('sha256', `webhooks ${keyId}`, 'buffer').readBigInt64BE()]);
  }

  /** The webhooks of a key, those of the running transaction included. */
  count(keyId: string): Promise<number> {
    return this.webhooks.countBy({ keyId });
  }

  /** At most `count` webhooks in the order of their creation. */
  list(
    keyId: string | undefined,
    order: SortOrder,
    count: number,
    afterNumber?: bigint,
  ): Promise<WebhookEntity[]> {
    return this.webhooks.find({
      where: { ...ofKey(keyId), number: Between(...boundsAfter(afterNumber, order)) },
      order: { number: order },
      take: count,
    });
  }

  find(id: string, keyId?: string): Promise<WebhookEntity | null> {
    return this.webhooks.findOneBy({ id, ...ofKey(keyId) });
  }

  /** Locks the row until the transaction ends. */
  lock(id: string, keyId?: string): Promise<WebhookEntity | null> {
    return this.webhooks.findOne({ where: { id, ...ofKey(keyId) }, lock: { mode: 'pessimistic_write' } });
  }

  /** Changes a webhook and resolves with it. */
  async change(id: string, columns: WebhookColumns): Promise<WebhookEntity> {
    await this.webhooks.update({ id }, columns);
    return this.webhooks.findOneByOrFail({ id });
  }

  async remove(id: string): Promise<void> {
    await this.webhooks.delete({ id });
  }
}

const ofKey = (keyId: string | undefined) => (keyId === undefined ? {} : { keyId });
