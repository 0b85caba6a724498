import { afterEach, expect, it } from '@jest/globals';
import { atCleanUp, cleanUp } from '../support/clean-up.js';
import { describeOnServer } from '../support/databases.js';
import { cursorOf, type EventShape } from '../support/feed.js';
import type { Answer } from '../support/http/client.js';
import { Service } from '../support/service.js';
import { petOf, Store } from '../support/store.js';
import { atOnce, until } from '../support/until.js';

const KILLS = Number(process.env.FAULT_KILLS ?? 20);
const WRITERS = 8;
/** The number of events between two kills. */
const EVENTS_A_KILL = Number(process.env.FAULT_EVENTS ?? 150);

/** Reads the feed through whichever replica answers, and keeps a copy of the lists from it. */
class Mirror {
  readonly seen: EventShape[] = [];
  readonly pets = new Map<unknown, unknown>();
  readonly orders = new Map<unknown, unknown>();

  constructor(
    private cursor: string,
    private readonly limit: number,
  ) {}

  /** Reads one page; false where none came. */
  async read(store: Store): Promise<boolean> {
    const answer = await store.get(`/v1/events?limit=${this.limit}&cursor=${this.cursor}`);
    if (answer.status !== 200) return false;
    const events = answer.body as unknown as EventShape[];
    this.cursor = cursorOf(answer);
    for (const event of events) {
      const copy = event.type.startsWith('pet.') ? this.pets : this.orders;
      if (event.type === 'pet.deleted') copy.delete(event.data.id);
      else copy.set(event.data.id, event.data);
    }
    this.seen.push(...events);
    return events.length > 0;
  }

  static list(copy: Map<unknown, unknown>): unknown[] {
    return [...copy.entries()]
      .sort(([a], [b]) => ((a as bigint) < (b as bigint) ? -1 : 1))
      .map(([, row]) => row);
  }
}

describeOnServer('the feed of two replicas', (kind) => {
  afterEach(cleanUp);

  it(`has each event once and in order over ${KILLS} kills, and a copy from it equals the lists`, async () => {
    const { env } = await kind.create();
    const replicas = [await Service.start(env), await Service.start(env)];
    const key = await replicas[0]!.issueKey();
    let isOver = false;
    atCleanUp(() => (isOver = true));
    const storeAt = (turn: number) => new Store(replicas[turn % 2]!.url, key);

    const start = cursorOf(await storeAt(0).get('/v1/events?cursor=latest'));
    const mirrors = [new Mirror(start, 7), new Mirror(start, 100)];
    const followers = mirrors.map(async (mirror) => {
      for (let turn = 0; !isOver; turn += 1)
        await until(() =>
          mirror
            .read(storeAt(turn))
            .catch(() => false)
            .then((found) => found || isOver),
        );
    });
    const writers = atOnce(WRITERS, async (writer) => {
      const attempt = (turn: number, work: (store: Store) => Promise<Answer>) =>
        work(storeAt(turn)).catch(() => undefined);
      for (let round = 0; !isOver; round += 1) {
        const created = await attempt(round, (store) =>
          store.post(`{"name":"${writer}-${round}","categoryId":9007199254740993}`),
        );
        if (created?.status !== 201) continue;
        const { id } = petOf(created);
        await attempt(round + 1, (store) => store.update(id, { name: `${writer}-${round} II` }));
        const placed = await attempt(round, (store) => store.order(id));
        if (placed?.status === 201 && round % 3 > 0)
          await attempt(round + 1, (store) => store.transition((placed.body as { id: bigint }).id, 'cancel'));
        if (round % 3 === 2) await attempt(round, (store) => store.remove(id));
      }
    });

    for (let kill = 0; kill < KILLS; kill += 1) {
      const target = mirrors[1]!.seen.length + EVENTS_A_KILL;
      await until(() => mirrors[1]!.seen.length >= target);
      await replicas[kill % 2]!.stop('SIGKILL');
      replicas[kill % 2] = await Service.start(env);
    }
    isOver = true;
    await writers;
    await Promise.all(followers);
    // What was committed last shows within a second; an empty page after it ends the feed.
    const last = await storeAt(0).create('last', 1);
    for (const mirror of mirrors)
      await until(async () => {
        await mirror.read(storeAt(0));
        return mirror.pets.has(last.id);
      });

    const [one, other] = mirrors as [Mirror, Mirror];
    expect(new Set(one.seen.map(({ id }) => id)).size).toBe(one.seen.length);
    expect(one.seen).toEqual(other.seen);
    const [pets, orders] = [
      await storeAt(0).walk('limit=100'),
      await storeAt(0).walk('limit=100', { path: '/v1/store/orders' }),
    ];
    expect(Mirror.list(one.pets)).toEqual(pets);
    expect(Mirror.list(one.orders)).toEqual(orders);
  });
});
