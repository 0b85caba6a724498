import { describe, expect, it } from '@jest/globals';
import { type RawBackend, SharedBackend } from './shared-backend.js';

/** A PGlite that answers with these pieces. */
function answering(...pieces: string[]): RawBackend {
  return {
    runExclusive: (work) => work(),
    execProtocolRawStream: (_unit, { onRawData }) => {
      for (const piece of pieces) onRawData(Buffer.from(piece, 'latin1'));
      return Promise.resolve();
    },
  };
}

const run = (database: RawBackend, endsInSync = true) =>
  new SharedBackend(database).execute(Buffer.alloc(0), endsInSync, () => undefined);

describe('SharedBackend', () => {
  it('reads the transaction status wherever the answer is cut', async () => {
    const ready = 'C\0\0\0\x08OK\0\0Z\0\0\0\x05T';
    for (let cut = 0; cut < ready.length; cut++) {
      expect(await run(answering(ready.slice(0, cut), ready.slice(cut)))).toBe('T');
    }
    expect(await run(answering(...Array.from(ready)))).toBe('T');
  });

  it('fails when the database ends a unit without saying that it is ready', async () => {
    await expect(run(answering('E\0\0\0\x04'))).rejects.toThrow('stopped answering');
    await expect(run(answering())).rejects.toThrow('stopped answering');
    expect(await run(answering(), false)).toBeUndefined();
  });

  it('serves who waits in the order they came', async () => {
    const backend = new SharedBackend(answering());
    const order: number[] = [];
    const turn = async (id: number) => {
      await backend.acquire();
      order.push(id);
      await Promise.resolve();
      backend.release();
    };
    await Promise.all([1, 2, 3].map(turn));
    expect(order).toEqual([1, 2, 3]);
  });
});
