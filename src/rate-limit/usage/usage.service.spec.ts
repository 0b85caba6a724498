import { describe, expect, test } from '@jest/globals';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { Logger } from '@nestjs/common';
import { utcDay } from '../../platform/common/time.js';
import type { RefusedKeys } from './refused-keys.js';
import type { UsageCounts, UsageDelta, UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

Logger.overrideLogger(false);

const NOW_MS = Date.UTC(2026, 10, 20, 10);
const TODAY = utcDay(NOW_MS);

/** A table whose writes take effect and end when the test finishes them. */
class SlowTable {
  admitted = 0;
  isAway = false;
  private readonly waiting: (() => void)[] = [];

  add = async (deltas: readonly UsageDelta[]): Promise<void> => {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    for (const delta of deltas) this.admitted += delta.admitted;
  };

  /** Only `key` has a row. */
  since = async (keyId: string): Promise<UsageCounts[]> => {
    const { isAway } = this;
    const admitted = keyId === 'key' ? this.admitted : 0;
    await turn();
    if (isAway) throw new Error('away');
    return [{ day: TODAY, admitted: BigInt(admitted), refused: 0n }];
  };

  finishWrite(): void {
    this.waiting.shift()?.();
  }
}

const CLOCK = { nowMs: () => NOW_MS, monotonicMs: () => 0 };

const REFUSED = { note: () => undefined } as unknown as RefusedKeys;

const turn = () => new Promise((resolve) => setImmediate(resolve));

const usageWritingTo = (add: UsageRepository['add']) =>
  new UsageService(new BackgroundTasks(), { add } as unknown as UsageRepository, CLOCK, REFUSED);

function usageOn(table: SlowTable) {
  const usage = new UsageService(new BackgroundTasks(), table as unknown as UsageRepository, CLOCK, REFUSED);
  usage.record('key', NOW_MS, true);
  return { usage, total: (keyId = 'key') => usage.admittedOn(keyId, TODAY) };
}

describe('the admitted requests of a day', () => {
  test('include pending ones', async () => {
    const { total } = usageOn(new SlowTable());
    expect(await total()).toBe(1);
  });

  test('are read after a running write', async () => {
    const table = new SlowTable();
    const { usage, total } = usageOn(table);
    const writing = usage.write();
    const read = total();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('are read again if a write has begun meanwhile', async () => {
    const table = new SlowTable();
    const { usage, total } = usageOn(table);
    const read = total();
    const writing = usage.write();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('are read at once during a write of other keys', async () => {
    const { usage, total } = usageOn(new SlowTable());
    void usage.write();
    expect(await total('another')).toBe(0);
  });

  test('cannot be read without a database, which is reported at once even during a write', async () => {
    const table = new SlowTable();
    const { usage, total } = usageOn(table);
    void usage.write();
    table.isAway = true;
    await expect(total()).rejects.toThrow('away');
  });
});

test('pending usage is bounded without a database, and is written later', async () => {
  const written: UsageDelta[] = [];
  let isAway = true;
  const usage = usageWritingTo(async (deltas) => {
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
  expect(written[0]).toMatchObject({ keyId: 'key 0', admitted: 1, refused: 1 });
});

test('after a batch that cannot be written, the rest waits for the next write, also at the stop', async () => {
  const sizes: number[] = [];
  let accepted = 1;
  const usage = usageWritingTo(async (deltas) => {
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
