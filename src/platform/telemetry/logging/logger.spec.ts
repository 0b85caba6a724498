import { describe, expect, it, jest } from '@jest/globals';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, NestLogger } from './logger.js';

type Destination = NodeJS.WriteStream & { fd: number };
const KEY = `ask_${'a'.repeat(49)}`;

/** The lines that `write` logs. */
async function linesOf(
  write: (logger: NestLogger) => void,
  level: 'info' | 'warn' | 'silent' = 'info',
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const fd = openSync(join(folder, 'log'), 'w+');
  try {
    write(new NestLogger(await createLogger(level, { fd } as Destination)));
    return readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}

describe('a log on a full disk', () => {
  (existsSync('/dev/full') ? it : it.skip)('drops its lines and says so once', async () => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const fd = openSync('/dev/full', 'w');
    try {
      const logger = new NestLogger(await createLogger('info', { fd } as Destination));
      logger.log('first');
      logger.fatal('second');
      expect(stderr.mock.calls).toEqual([
        ['The log cannot be written: ENOSPC: no space left on device, write\n'],
      ]);
    } finally {
      closeSync(fd);
      stderr.mockRestore();
    }
  });
});

describe('a log line', () => {
  it('is not written below the level', async () => {
    expect(await linesOf((logger) => logger.log('listening'), 'warn')).toEqual(['']);
    expect(await linesOf((logger) => logger.fatal('ended'), 'silent')).toEqual(['']);
  });

  it('ends a cyclic chain of causes', async () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    const [line] = await linesOf((logger) => logger.error({ err: error }, 'failed', 'Test'));
    expect(line!.match(/"second"/g)).toHaveLength(3);
  });

  it('includes no key', async () => {
    const error = new Error(`no ${KEY}`);
    const lines = await linesOf((logger) => logger.error({ err: error, text: KEY }, KEY, 'Test'));
    expect(lines.join()).not.toContain('ask_aaaaaaaa');
  });
});
