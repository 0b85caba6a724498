import type { Answer } from '../support/http/client.js';
import { isRefusedByParser } from './invariants.js';
import { chargeable, shownSubject, type FuzzRequest, type Subject } from './request.js';
import { KEY_LIMITS } from './runs.js';

interface Window {
  resetAt: number;
  limit: number;
  remaining: number;
}

/** What a worker's keys and its address have left, by the answers. Nobody else spends it, so it is known exactly. */
export class Ledger {
  private readonly windows = new Map<Subject, Window>();
  /** Charges by subject; a window that began anew does not end the count. */
  readonly charged = { own: 0, reader: 0, address: 0, nobody: 0 };

  /** Holds one answer against the one before: what is left fell by exactly what this request costs. */
  enter(answer: Answer, request: FuzzRequest): void {
    const shown = shownSubject(answer, request, KEY_LIMITS.perDay);
    const allowed = chargeable(request);
    if (shown === undefined) {
      if (!allowed.includes('nobody') && !isRefusedByParser(answer))
        throw new Error(`${answer.status} shows no limit, and should be charged to ${allowed.join(' or ')}`);
      return;
    }
    const isFree = allowed.includes('nobody') && shown !== 'address';
    if (!isFree && !allowed.includes(shown))
      throw new Error(`${answer.status} is charged to ${shown}, and not to ${allowed.join(' or ')}`);
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
        `${subject} has ${remaining} left, and not ${expected}: a request was charged otherwise`,
      );
  }
}
