import { describe, expect, test } from '@jest/globals';
import { UsageRecorder } from './usage-recorder.js';
import type { UsageDelta, UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';
import { utcDay } from './utc-day.js';

const NOW_MS = Date.UTC(2026, 10, 20, 10);
const TODAY = utcDay(NOW_MS);

/** A table whose writes take effect, and end, when the test says so. */
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

describe('what was admitted on a day', () => {
  test('includes what is not written yet', async () => {
    const { total } = recorderOn(new SlowTable());
    expect(await total()).toBe(1);
  });

  test('is read after a write under way', async () => {
    const table = new SlowTable();
    const { recorder, total } = recorderOn(table);
    const writing = recorder.write();
    const read = total();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('is read again where a write has begun meanwhile', async () => {
    const table = new SlowTable();
    const { recorder, total } = recorderOn(table);
    const read = total();
    const writing = recorder.write();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('cannot be read at once, whatever is being written, where the database is away', async () => {
    const table = new SlowTable();
    const { recorder } = recorderOn(table);
    void recorder.write();
    await expect(recorder.betweenWrites(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});
