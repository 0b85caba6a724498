import { describe, expect, test } from '@jest/globals';
import { UsageRecorder } from './usage-recorder.js';
import type { UsageDelta, UsageRepository } from './usage.repository.js';
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

  finishWrite(): void {
    this.waiting.shift()?.();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function recorderOn(table: SlowTable) {
  const recorder = new UsageRecorder(table as unknown as UsageRepository);
  recorder.record('key', NOW_MS, true);
  const total = async () => {
    const written = table.admitted;
    await turn();
    return written + (recorder.pendingOn('key', TODAY)?.admitted ?? 0);
  };
  return { recorder, total };
}

describe('a read between writes', () => {
  test('sees what is not written yet', async () => {
    const { recorder, total } = recorderOn(new SlowTable());
    expect(await recorder.betweenWrites(total)).toBe(1);
  });

  test('waits for a write under way', async () => {
    const table = new SlowTable();
    const { recorder, total } = recorderOn(table);
    const writing = recorder.write();
    const read = recorder.betweenWrites(total);
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('is repeated where a write has begun meanwhile', async () => {
    const table = new SlowTable();
    const { recorder, total } = recorderOn(table);
    const read = recorder.betweenWrites(total);
    const writing = recorder.write();
    await turn();
    table.finishWrite();
    await writing;
    expect(await read).toBe(1);
  });

  test('fails at once where it cannot read, whatever is being written', async () => {
    const table = new SlowTable();
    const { recorder } = recorderOn(table);
    void recorder.write();
    await expect(recorder.betweenWrites(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});
