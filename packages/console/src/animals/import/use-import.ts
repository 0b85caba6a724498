import { ApiError, type NewPet } from 'animal-store-client';
import { useRef, useState } from 'react';
import { sentenceOf } from '../../api/problems';
import type { Row } from './rows';
import { batchesOf, isLater, send, type Batch } from './send';

type Item = Row & { animal: NewPet };
export type Report = Row & { id?: string; outcome: string };

export interface Progress {
  phase: 'ready' | 'running' | 'stopped' | 'done';
  done: number;
  total: number;
  /** The key is out of requests until then. */
  pausedUntil?: number | undefined;
  /** Why it stopped; it goes on where it was. */
  problem?: string | undefined;
  report: Report[];
}

const READY: Progress = { phase: 'ready', done: 0, total: 0, report: [] };

/** An import that pauses for limits, stops without a connection, and goes on where it was. */
export function useImport(rows: Row[]) {
  const [progress, setProgress] = useState<Progress>(READY);
  const left = useRef<Batch<Item>[]>([]);
  const stop = useRef(new AbortController());

  async function run() {
    stop.current = new AbortController();
    const { signal } = stop.current;
    const set = (changes: Partial<Progress>) => setProgress((before) => ({ ...before, ...changes }));
    const finish = (batch: Batch<Item>, outcomes: { id?: string; outcome: string }[]) => {
      left.current.shift();
      const reported = batch.items.map((item, index): Report => ({
        ...item,
        ...(outcomes[index] ?? { outcome: '' }),
      }));
      setProgress((before) => ({
        ...before,
        done: before.done + batch.items.length,
        report: [...before.report, ...reported],
      }));
    };
    set({ phase: 'running', problem: undefined });
    for (let batch = left.current[0]; batch && !signal.aborted; batch = left.current[0]) {
      try {
        const pets = await send(batch);
        finish(
          batch,
          pets.map(({ id }) => ({ id: String(id), outcome: 'added' })),
        );
      } catch (error) {
        if (error instanceof ApiError && error.status === 429) {
          const untilMs = Date.now() + (error.retryAfterMs ?? 1_000);
          set({ pausedUntil: untilMs });
          await waitUntil(untilMs, signal);
          set({ pausedUntil: undefined });
        } else if (isLater(error)) {
          set({ phase: 'stopped', problem: sentenceOf(error) });
          return;
        } else
          finish(
            batch,
            batch.items.map(() => ({ outcome: `not added: ${sentenceOf(error)}` })),
          );
      }
    }
    set({ phase: signal.aborted ? 'stopped' : 'done' });
  }

  return {
    progress,
    start: () => {
      const valid = rows.filter((row): row is Item => row.animal !== undefined);
      const wrong = rows.filter(({ problem }) => problem !== undefined);
      left.current = batchesOf(valid);
      const report = wrong.map((row): Report => ({ ...row, outcome: `not added: ${row.problem ?? ''}` }));
      setProgress({ ...READY, total: valid.length, report });
      void run();
    },
    goOn: () => void run(),
    stop: () => stop.current.abort(),
    reset: () => setProgress(READY),
  };
}

function waitUntil(untilMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, untilMs - Date.now()));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
