import { expect } from '@jest/globals';
import type { Answer } from './http/client.js';
import type { Store } from './store.js';
import { until } from './until.js';

export interface EventShape {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
  actor?: string;
}

const eventsOf = (answer: Answer) => answer.body as unknown as EventShape[];
export const cursorOf = ({ headers }: Answer) => headers['x-next-cursor'] as string;

/** Reads the feed with one key, from a place on. */
export class Feed {
  cursor: string | undefined;

  constructor(
    private readonly store: Store,
    private readonly query = 'limit=100',
  ) {}

  /** Goes to the end of the feed. */
  async toEnd(): Promise<this> {
    const latest = await this.store.get('/v1/events?cursor=latest');
    expect(latest.status).toBe(200);
    expect(latest.body).toEqual([]);
    this.cursor = cursorOf(latest);
    return this;
  }

  /** The events of the next page. */
  async next(): Promise<EventShape[]> {
    const at = this.cursor === undefined ? '' : `&cursor=${this.cursor}`;
    const answer = await this.store.get(`/v1/events?${this.query}${at}`);
    expect(answer.status).toBe(200);
    this.cursor = cursorOf(answer);
    return eventsOf(answer);
  }

  /** The events up to the first one that `isLast` accepts, or a given number of them. */
  async take(wanted: number | ((event: EventShape) => boolean)): Promise<EventShape[]> {
    const taken: EventShape[] = [];
    return until(async () => {
      taken.push(...(await this.next()));
      const isEnd = typeof wanted === 'number' ? taken.length >= wanted : taken.some(wanted);
      return isEnd ? taken : undefined;
    });
  }
}
