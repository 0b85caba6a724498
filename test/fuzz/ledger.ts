import type { Answer } from '../support/http/client.js';
import { isRefusedByParser } from './invariants.js';
import { chargeable, isMalformed, shownSubject, type FuzzRequest, type Subject } from './request.js';

/** The limit of the day is below that of the minute, so that responses show it. It also differs from the limit of an address. */
export const KEY_LIMITS = { perMinute: 2_000_000, perDay: 900_000 };

interface Window {
  resetAt: number;
  limit: number;
  remaining: number;
}

/** The remaining requests of a worker's keys and address. Only the worker uses them, so that the counts are exact. */
export class Ledger {
  private readonly windows = new Map<Subject, Window>();
  /** Counted requests by subject, over all windows. */
  readonly charged = { own: 0, reader: 0, address: 0, none: 0 };

  /** Compares a response with the previous one: the remaining requests decrease by exactly the cost of this request. */
  enter(answer: Answer, request: FuzzRequest): void {
    const shown = shownSubject(answer, request, KEY_LIMITS.perDay);
    if (isMalformed(request)) {
      if (shown !== undefined && shown !== 'address') throw new Error(`${answer.status} shows ${shown}`);
      if (shown !== undefined) this.spend(shown, answer, 0);
      return;
    }
    const allowed = chargeable(request);
    if (shown === undefined) {
      if (!allowed.includes('none') && !isRefusedByParser(answer))
        throw new Error(`${answer.status} shows no limit, but should be charged to ${allowed.join(' or ')}`);
      return;
    }
    const isFree = allowed.includes('none') && shown !== 'address';
    if (!isFree && !allowed.includes(shown))
      throw new Error(`${answer.status} is charged to ${shown} instead of ${allowed.join(' or ')}`);
    this.spend(shown, answer, isFree ? 0 : 1);
  }

  private spend(subject: Subject, { headers }: Answer, cost: number): void {
    const resetAt = Number(headers['x-ratelimit-reset']);
    const limit = Number(headers['x-ratelimit-limit']);
    const remaining = Number(headers['x-ratelimit-remaining']);
    const before = this.windows.get(subject);
    const isNew = before === undefined || resetAt > before.resetAt;
    const expected = (isNew ? limit : before.remaining) - cost;
    this.windows.set(subject, { resetAt, limit, remaining });
    this.charged[subject] += cost;
    if (remaining !== expected)
      throw new Error(
        `${subject} has ${remaining} left instead of ${expected}: a request was charged to another subject`,
      );
  }
}
