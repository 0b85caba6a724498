import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { Access } from '../../auth/access.js';
import { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { EventsService, type Reader } from '../../events/events.service.js';
import { placeOf, type FeedPlace } from '../../events/feed/event-cursor.js';
import { Clock } from '../../platform/common/time.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { Dispatcher } from '../sending/dispatcher.js';
import type { Outcome } from '../sending/outcome.js';
import { type ClaimedWebhook, DeliveriesRepository, type Progress } from './deliveries.repository.js';
import { Turn } from './turn.js';

const LAST = 100n;
const delivered: Outcome = { status: 204, error: null, durationMs: 1 };
const positionOf = (id: string) => BigInt(id.slice('evt_'.length));

/** A feed of events 1 to LAST, a row of the database, and an endpoint whose answers take time. */
class Scene {
  nowMs = 0;
  access: Access | undefined = 'order';
  isKept = true;
  readonly sent: string[] = [];
  readonly readers: Reader[] = [];
  givenBack: [bigint, boolean, number | null] | undefined;
  failure: unknown[] | undefined;
  isLost = false;
  answer: (id: string) => Outcome = () => delivered;
  isWanted = (_position: bigint) => true;
  attemptMs = 1;

  clock = { monotonicMs: () => this.nowMs, nowMs: () => this.nowMs };
  keys = { accessOf: () => Promise.resolve(new Map(this.access ? [['key', this.access]] : [])) };
  events = {
    after: (place: FeedPlace, reader: Reader, _types: unknown, limit: number) => {
      this.readers.push(reader);
      const left = Number(LAST - place.position);
      const events = Array.from({ length: Math.min(limit, left) }, (_, index) => {
        const position = place.position + BigInt(index) + 1n;
        return { id: `evt_${position}`, json: '{}', place: placeOf(position, null) };
      });
      const next = events.at(-1)?.place ?? place;
      return Promise.resolve({
        events: events.filter((event) => this.isWanted(event.place.position)),
        next,
        hasMore: next.position < LAST,
        isKept: this.isKept,
      });
    },
    placeBefore: ({ position }: FeedPlace) => Promise.resolve(placeOf(position - 1n, null)),
  };
  dispatcher = {
    dispatch: (_: unknown, { id }: { id: string }) => {
      this.sent.push(id);
      this.nowMs += this.attemptMs;
      return Promise.resolve(this.answer(id));
    },
  };
  repository = {
    delivered: (webhook: ClaimedWebhook, { place }: Progress) =>
      Promise.resolve(this.isLost ? undefined : Object.assign({}, webhook, { position: place.position })),
    failed: (...values: unknown[]) => {
      this.failure = values;
      return Promise.resolve(null);
    },
    giveBack: (_: unknown, { place, missed }: Progress, waitMs: number | null = null) => {
      this.givenBack = [place.position, missed, waitMs];
      return Promise.resolve();
    },
  };
}

describe('the turn of a webhook', () => {
  let scene: Scene;
  let turn: Turn;
  let isStopped: boolean;
  const take = (position = 0n) => {
    const webhook = {
      id: 'w',
      keyId: 'key',
      lease: 'l',
      types: null,
      failures: 3,
      position,
      positionBits: 0n,
    };
    return turn.take(webhook as unknown as ClaimedWebhook, () => isStopped);
  };

  beforeEach(async () => {
    scene = new Scene();
    isStopped = false;
    const module = await Test.createTestingModule({
      providers: [
        Turn,
        { provide: DeliveriesRepository, useValue: scene.repository },
        { provide: EventsService, useValue: scene.events },
        { provide: ApiKeysService, useValue: scene.keys },
        { provide: Dispatcher, useValue: scene.dispatcher },
        { provide: Clock, useValue: scene.clock },
        { provide: Metrics, useValue: null },
      ],
    }).compile();
    turn = module.get(Turn);
  });

  it('sends everything in order, and gives the webhook back at the end', async () => {
    await take();
    expect(scene.sent.map(positionOf)).toEqual(
      Array.from({ length: Number(LAST) }, (_, index) => BigInt(index) + 1n),
    );
    expect(scene.givenBack).toEqual([LAST, false, null]);
  });

  it('ends after 5 s, after the attempt that is under way, or when the service stops', async () => {
    scene.attemptMs = 1_000;
    await take();
    expect(scene.sent).toHaveLength(5);
    expect(scene.givenBack?.[0]).toBe(5n);

    scene.answer = () => {
      isStopped = true;
      return delivered;
    };
    await take(50n);
    expect(scene.givenBack?.[0]).toBe(51n);
  });

  it('looks at the access of the key at least every second', async () => {
    scene.attemptMs = 300;
    scene.answer = (id) => {
      if (positionOf(id) === 2n) scene.access = undefined;
      return delivered;
    };
    await take();
    expect(scene.sent).toHaveLength(3);
    expect(scene.givenBack).toEqual([3n, false, null]);
    scene.access = 'read';
    await take(50n);
    expect([scene.sent.length, scene.givenBack]).toEqual([3, [50n, false, null]]);
  });

  it('stays at the event that fails', async () => {
    scene.answer = (id) =>
      positionOf(id) === 3n ? { ...delivered, status: 500, retryAfterMs: 60_000 } : delivered;
    await take();
    expect(scene.sent).toHaveLength(3);
    expect(scene.failure).toMatchObject([
      { position: 2n },
      { place: { position: 2n }, missed: false },
      { status: 500 },
      false,
      60_000,
    ]);
    expect(scene.givenBack).toBeUndefined();
  });

  it('passes what comes before the event that fails and is not for it', async () => {
    scene.isWanted = (position) => position % 10n === 0n;
    scene.answer = (id) => (positionOf(id) === 20n ? { ...delivered, status: 500 } : delivered);
    await take();
    expect(scene.sent.map(positionOf)).toEqual([10n, 20n]);
    expect(scene.failure?.slice(0, 2)).toMatchObject([
      { position: 10n },
      { place: { position: 19n }, missed: false },
    ]);
  });

  it('ends where its outcome comes too late', async () => {
    scene.isLost = true;
    await take();
    expect([scene.sent.length, scene.givenBack]).toEqual([1, undefined]);
  });

  it('says that events were missed', async () => {
    scene.isKept = false;
    await take(LAST);
    expect(scene.givenBack).toEqual([LAST, true, null]);
  });

  it('waits after a failure of the service', async () => {
    scene.answer = () => {
      throw new Error('no secret');
    };
    await take();
    expect(scene.givenBack).toEqual([0n, false, 30_000]);
  });
});
