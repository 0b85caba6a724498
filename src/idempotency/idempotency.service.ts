import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerKeyOf } from '../auth/caller.js';
import { JSON_MEDIA_TYPE } from '../common/json/json-media-type.js';
import { stringifyJson } from '../common/json/stringify-json.js';
import { Database } from '../database/database.js';
import type { IdempotencyHeader } from './idempotency-header.js';
import { REPLAYED_HEADER } from './idempotency-names.js';
import { idempotencyKeyInUse, idempotencyKeyReused } from './idempotency.errors.js';
import { IdempotencyRepository, type StoredAnswer } from './idempotency.repository.js';
import { fingerprintOf } from './request-fingerprint.js';

/** What an operation answers when it succeeds. */
export interface Success {
  status: 200 | 201;
  body: object;
  location?: string;
}

interface FirstOrReplayed {
  answer: StoredAnswer;
  isReplayed: boolean;
}

/** Gives one answer per idempotency key: the work, its answer and the key are one transaction. */
@Injectable()
export class Idempotency {
  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly database: Database,
  ) {}

  /**
   * Does the work and answers, or answers as the first time. Without a key the work is simply done. What the work
   * throws is not kept. Raises idempotency_key_reused and idempotency_key_in_use.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { key: idempotencyKey }: IdempotencyHeader,
    work: () => Promise<Success>,
  ): Promise<string> {
    if (idempotencyKey === undefined) return send(reply, asAnswer(await work()));
    const keyId = callerKeyOf(request).id;
    const fingerprint = fingerprintOf(request);
    const { answer, isReplayed } = await this.once(keyId, idempotencyKey, fingerprint, work);
    if (isReplayed) void reply.header(REPLAYED_HEADER, 'true');
    return send(reply, answer);
  }

  private once(
    keyId: string,
    idempotencyKey: string,
    fingerprint: Buffer,
    work: () => Promise<Success>,
  ): Promise<FirstOrReplayed> {
    const name = hash('sha256', `${keyId} ${idempotencyKey}`, 'buffer');
    return this.database.transaction(async () => {
      if (!(await this.repository.lock(name))) throw idempotencyKeyInUse();
      const stored = await this.repository.find(keyId, idempotencyKey);
      if (stored) {
        if (!stored.fingerprint.equals(fingerprint)) throw idempotencyKeyReused();
        return { answer: stored, isReplayed: true };
      }
      const answer = asAnswer(await work());
      await this.repository.store(keyId, idempotencyKey, fingerprint, answer);
      return { answer, isReplayed: false };
    });
  }
}

function asAnswer({ status, body, location }: Success): StoredAnswer {
  return { status, body: stringifyJson(body), location: location ?? null };
}

/** The body is JSON already; Fastify sends a text as it is. */
function send(reply: FastifyReply, { status, body, location }: StoredAnswer): string {
  void reply.code(status).type(JSON_MEDIA_TYPE);
  if (location !== null) void reply.header('Location', location);
  return body;
}
