import { describe, expect, test } from '@jest/globals';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { Logger } from '@nestjs/common';
import { utcDay } from '../../platform/common/time.js';
import type { Config } from '../../platform/config/config.js';
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

  since = async (): Promise<UsageCounts[]> => {
    const { isAway, admitted } = this;
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
const CONFIGURED = { usageRetentionDays: 400 } as Config;

const turn = () => new Promise((resolve) => setImmediate(resolve));

const usageWritingTo = (add: UsageRepository['add']) =>
  new UsageService(new BackgroundTasks(), { add } as unknown as UsageRepository, CLOCK, REFUSED, CONFIGURED);

function usageOn(table: SlowTable) {
  const repository = table as unknown as UsageRepository;
  const usage = new UsageService(new BackgroundTasks(), repository, CLOCK, REFUSED, CONFIGURED);
  usage.record('key', NOW_MS, true);
  return { usage, total: () => usage.admittedOn('key', TODAY) };
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

  test('cannot be read without a database', async () => {
    const table = new SlowTable();
    const { total } = usageOn(table);
    table.isAway = true;
    await expect(total()).rejects.toThrow('away');
  });
});

test('after a batch that cannot be written, the rest waits for the next write, also at the stop', async () => {
  const written: UsageDelta[] = [];
  let attempts = 0;
  let accepted = 1;
  const usage = usageWritingTo(async (deltas) => {
    await turn();
    attempts += 1;
    accepted -= 1;
    if (accepted < 0) throw new Error('away');
    written.push(...deltas);
  });
  for (let key = 0; key < 3_500; key += 1) usage.record(`key ${key}`, NOW_MS, true);
  await usage.write();
  expect([attempts, written.length]).toEqual([2, 1_000]);
  await usage.onApplicationShutdown();
  expect([attempts, written.length]).toEqual([3, 1_000]);
  for (let key = 0; key < 3_500; key += 1) usage.record(`key ${key}`, NOW_MS, false);
  accepted = Infinity;
  await usage.write();
  expect(written).toHaveLength(1_000 + 3_500);
  expect(written[1_000]).toMatchObject({ keyId: 'key 1000', admitted: 1, refused: 1 });
});
