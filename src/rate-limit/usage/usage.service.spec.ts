import { describe, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { Clock, utcDay } from '../../platform/common/time.js';
import { RefusedKeys } from './refused-keys.js';
import { type UsageBatch, type UsageDelta, UsageRepository, type WrittenUsage } from './usage.repository.js';
import { UsageService } from './usage.service.js';

Logger.overrideLogger(false);

const NOW_MS = Date.UTC(2026, 10, 20, 10);
const TODAY = utcDay(NOW_MS);

/** A table whose writes take effect and end when the test says so. */
class SlowTable {
  isAway = false;
  private admitted = 0;
  private batch = 0;
  private readonly waiting: { batch: UsageBatch; end: (error?: Error) => void }[] = [];

  add = (batch: UsageBatch): Promise<void> =>
    new Promise((resolve, reject) => {
      this.waiting.push({ batch, end: (error) => (error ? reject(error) : resolve()) });
    });

  /** Only `key` has a row. */
  since = async (keyId: string): Promise<WrittenUsage> => {
    const { isAway, batch } = this;
    const admitted = keyId === 'key' ? this.admitted : 0;
    await turn();
    if (isAway) throw new Error('away');
    return { counts: [{ day: TODAY, admitted: BigInt(admitted), refused: 0n, deprecated: 0n }], batch };
  };

  /** A batch that is written already has no effect. */
  takeEffect(): void {
    const [{ batch }] = this.waiting as [(typeof this.waiting)[0]];
    if (batch.number <= this.batch) return;
    this.batch = batch.number;
    for (const { admitted } of batch.deltas) this.admitted += admitted;
  }

  end(error?: Error): void {
    this.waiting.shift()?.end(error);
  }

  finishWrite(): void {
    this.takeEffect();
    this.end();
  }
}

const CLOCK = { nowMs: () => NOW_MS, monotonicMs: () => 0 };

const REFUSED = { note: () => undefined } as unknown as RefusedKeys;

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function usageOf(repository: object): Promise<UsageService> {
  const module = await Test.createTestingModule({
    providers: [
      UsageService,
      BackgroundTasks,
      { provide: UsageRepository, useValue: repository },
      { provide: Clock, useValue: CLOCK },
      { provide: RefusedKeys, useValue: REFUSED },
    ],
  }).compile();
  return module.get(UsageService);
}

const usageWritingTo = (add: UsageRepository['add']) => usageOf({ add });

async function usageOn(table: SlowTable) {
  const usage = await usageOf(table);
  usage.record('key', NOW_MS, true);
  return { usage, total: (keyId = 'key') => usage.admittedOn(keyId, TODAY) };
}

describe('the admitted requests of a day', () => {
  test('include pending ones', async () => {
    const { total } = await usageOn(new SlowTable());
    expect(await total()).toBe(1);
  });

  test.each([false, true])('include those of a running write (in effect: %s)', async (isInEffect) => {
    const table = new SlowTable();
    const { usage, total } = await usageOn(table);
    void usage.write();
    if (isInEffect) table.takeEffect();
    expect(await total()).toBe(1);
  });

  test('are read again if a write ends meanwhile', async () => {
    const table = new SlowTable();
    const { usage, total } = await usageOn(table);
    const writing = usage.write();
    const read = total();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test.each([false, true])(
    'are counted once after a write without an answer (in effect: %s)',
    async (isInEffect) => {
      const table = new SlowTable();
      const { usage, total } = await usageOn(table);
      const lost = usage.write();
      if (isInEffect) table.takeEffect();
      table.end(new Error('away'));
      await lost;
      expect(await total()).toBe(1);
      usage.record('key', NOW_MS, true);
      expect(await total()).toBe(2);
      const again = usage.write();
      table.finishWrite();
      await turn();
      table.finishWrite();
      await again;
      expect(await total()).toBe(2);
      expect(usage.size).toBe(0);
    },
  );

  test('are read again if a write has begun meanwhile', async () => {
    const table = new SlowTable();
    const { usage, total } = await usageOn(table);
    const read = total();
    const writing = usage.write();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('are read at once during a write of other keys', async () => {
    const { usage, total } = await usageOn(new SlowTable());
    void usage.write();
    expect(await total('another')).toBe(0);
  });

  test('cannot be read without a database, which is reported at once even during a write', async () => {
    const table = new SlowTable();
    const { usage, total } = await usageOn(table);
    void usage.write();
    table.isAway = true;
    await expect(total()).rejects.toThrow('away');
  });
});

test('pending usage is bounded without a database, and is written later', async () => {
  const written: UsageDelta[] = [];
  let isAway = true;
  const usage = await usageWritingTo(async ({ deltas }) => {
    await turn();
    if (isAway) throw new Error('away');
    written.push(...deltas);
  });
  const [bound, keys] = [200_000, 200_500];
  for (let key = 0; key < keys; key += 1) usage.record(`key ${key}`, NOW_MS, true);
  expect(usage.size).toBe(bound);
  await usage.write();
  for (let key = 0; key < keys; key += 1) usage.record(`key ${key}`, NOW_MS, false);
  expect(usage.size).toBe(bound);
  isAway = false;
  await usage.write();
  expect([usage.size, written.length]).toEqual([0, bound]);
  // The first keys are in the batch that is written again as it was.
  expect(written[bound - 1]).toMatchObject({ admitted: 1, refused: 1 });
});

test('after a batch that cannot be written, the rest waits for the next write, also at the stop', async () => {
  const sizes: number[] = [];
  let accepted = 1;
  const usage = await usageWritingTo(async ({ deltas }) => {
    await turn();
    sizes.push(deltas.length);
    accepted -= 1;
    if (accepted < 0) throw new Error('away');
  });
  for (let key = 0; key < 3_500; key += 1) usage.record(`key ${key}`, NOW_MS, true);
  await usage.write();
  expect([usage.size, ...sizes]).toEqual([2_500, 1_000, 1_000]);
  await usage.onApplicationShutdown();
  expect([usage.size, ...sizes]).toEqual([2_500, 1_000, 1_000, 1_000]);
});
