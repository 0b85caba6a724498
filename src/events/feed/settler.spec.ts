import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { BackgroundTasks, PeriodicTask } from '../../platform/common/background-tasks.js';
import { CONFIG } from '../../platform/config/config.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { EventsRepository } from '../events.repository.js';
import { ROWS_PER_SETTLING } from './feed.statements.js';
import { Settler } from './settler.js';

/** A settler that never rests fails a test instead of hanging it. */
const MOST_SETTLINGS = 10;

/** A feed to which writers add a row with each settling. */
class FakeFeed {
  waiting = 0;
  settlings = 0;
  onSettled: (() => unknown) | undefined;

  unsettled = () => {
    const rowCount = Math.min(this.waiting, ROWS_PER_SETTLING);
    return Promise.resolve({ rowCount, eventCount: rowCount, ageSeconds: 0 });
  };

  settle = () => {
    const settled = Math.min(this.waiting, ROWS_PER_SETTLING);
    this.settlings += 1;
    this.waiting += (this.settlings < MOST_SETTLINGS ? 1 : 0) - settled;
    this.onSettled?.();
    return Promise.resolve(settled);
  };
}

describe('a round of the settler', () => {
  let feed: FakeFeed;
  let rounds: PeriodicTask;

  beforeEach(async () => {
    feed = new FakeFeed();
    const every = (pauseMs: number, _problem: string, work: () => Promise<void>) =>
      (rounds = new PeriodicTask(pauseMs, work));
    await Test.createTestingModule({
      providers: [
        Settler,
        { provide: EventsRepository, useValue: feed },
        { provide: BackgroundTasks, useValue: { every, deleteExpired: () => undefined } },
        { provide: CONFIG, useValue: {} },
        { provide: Metrics, useValue: null },
      ],
    }).compile();
  });

  it('settles nothing where nothing waits', async () => {
    await rounds.run();
    expect(feed.settlings).toBe(0);
  });

  it('leaves what is committed meanwhile to the next round', async () => {
    feed.waiting = 1;
    await rounds.run();
    expect([feed.settlings, feed.waiting]).toEqual([1, 1]);
  });

  it('goes on at once while whole batches wait', async () => {
    feed.waiting = 2 * ROWS_PER_SETTLING;
    await rounds.run();
    expect([feed.settlings, feed.waiting]).toEqual([3, 1]);
  });

  it('ends between two batches when the service stops', async () => {
    feed.waiting = 2 * ROWS_PER_SETTLING;
    feed.onSettled = () => rounds.stop();
    await rounds.run();
    expect(feed.settlings).toBe(1);
  });
});
