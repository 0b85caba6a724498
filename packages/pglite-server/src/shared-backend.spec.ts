import { describe, expect, it } from '@jest/globals';
import { type RawBackend, SharedBackend } from './shared-backend.js';

/** A PGlite that responds with these chunks. */
function responding(...chunks: string[]): RawBackend {
  return {
    execProtocolRawStream: (_unit, { onRawData }) => {
      for (const chunk of chunks) onRawData(Buffer.from(chunk, 'latin1'));
      return Promise.resolve();
    },
  };
}

const run = (database: RawBackend) => new SharedBackend(database, '').execute(Buffer.alloc(0));

describe('SharedBackend', () => {
  it('reads the transaction status wherever the response is split', async () => {
    const ready = 'C\0\0\0\x08OK\0\0Z\0\0\0\x05T';
    for (let cut = 0; cut < ready.length; cut++) {
      expect(await run(responding(ready.slice(0, cut), ready.slice(cut)))).toBe('T');
    }
    expect(await run(responding(...Array.from(ready)))).toBe('T');
  });

  it('fails when the response does not end in ReadyForQuery', async () => {
    await expect(run(responding('E\0\0\0\x04'))).rejects.toThrow('stopped responding');
    await expect(run(responding())).rejects.toThrow('stopped responding');
  });
});
