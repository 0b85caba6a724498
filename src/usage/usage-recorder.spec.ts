import { describe, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { UsageRecorder, utcDay } from './usage-recorder.js';
import type { UsageDelta, UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

Logger.overrideLogger(false);

const NOW_MS = Date.UTC(2026, 10, 20, 10);
const TODAY = utcDay(NOW_MS);

/** A table whose writes take effect and end when the test finishes them. */
class SlowTable {
  admitted = 0;
  private readonly waiting: (() => void)[] = [];

  add = async (deltas: readonly UsageDelta[]): Promise<void> => {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    for (const delta of deltas) this.admitted += delta.admitted;
  };

  admittedOn = async (): Promise<number> => {
    const { admitted } = this;
    await turn();
    return admitted;
  };

  finishWrite(): void {
    this.waiting.shift()?.();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function recorderOn(table: SlowTable) {
  const repository = table as unknown as UsageRepository;
  const recorder = new UsageRecorder(repository);
  recorder.record('key', NOW_MS, true);
  const usage = new UsageService(repository, recorder, { nowMs: () => NOW_MS, monotonicMs: () => 0 });
  return { recorder, total: () => usage.admittedOn('key', TODAY) };
}

describe('the admitted requests of a day', () => {
  test('include pending ones', async () => {
    const { total } = recorderOn(new SlowTable());
    expect(await total()).toBe(1);
  });

  test('are read after a running write', async () => {
    const table = new SlowTable();
    const { recorder, total } = recorderOn(table);
    const writing = recorder.write();
    const read = total();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('are read again if a write has begun meanwhile', async () => {
    const table = new SlowTable();
    const { recorder, total } = recorderOn(table);
    const read = total();
    const writing = recorder.write();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('cannot be read without a database, which is reported at once even during a write', async () => {
    const table = new SlowTable();
    const { recorder } = recorderOn(table);
    void recorder.write();
    await expect(recorder.betweenWrites(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});

test('pending usage is bounded without a database, and is written later', async () => {
  const written: UsageDelta[] = [];
  let isAway = true;
  const repository = {
    add: (deltas: readonly UsageDelta[]) => {
      if (isAway) return Promise.reject(new Error('away'));
      written.push(...deltas);
      return Promise.resolve();
    },
  } as unknown as UsageRepository;
  const recorder = new UsageRecorder(repository);
  const [bound, keys] = [200_000, 200_500];
  for (let key = 0; key < keys; key += 1) recorder.record(`key ${key}`, NOW_MS, true);
  expect(recorder.size).toBe(bound);
  await recorder.write();
  for (let key = 0; key < keys; key += 1) recorder.record(`key ${key}`, NOW_MS, false);
  expect(recorder.size).toBe(bound);
  isAway = false;
  await recorder.write();
  expect([recorder.size, written.length]).toEqual([0, bound]);
  expect(written[0]).toMatchObject({ keyId: 'key 0', admitted: 1, refused: 1 });
});

test('after a batch that cannot be written, the rest waits for the next write, also at the stop', async () => {
  const sizes: number[] = [];
  let accepted = 1;
  const repository = {
    add: (deltas: readonly UsageDelta[]) => {
      sizes.push(deltas.length);
      accepted -= 1;
      return accepted < 0 ? Promise.reject(new Error('away')) : Promise.resolve();
    },
  } as unknown as UsageRepository;
  const recorder = new UsageRecorder(repository);
  for (let key = 0; key < 3_500; key += 1) recorder.record(`key ${key}`, NOW_MS, true);
  await recorder.write();
  expect([recorder.size, ...sizes]).toEqual([2_500, 1_000, 1_000]);
  await recorder.onApplicationShutdown();
  expect([recorder.size, ...sizes]).toEqual([2_500, 1_000, 1_000, 1_000]);
});
