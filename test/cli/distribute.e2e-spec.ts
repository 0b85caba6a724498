import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { refused, runCommand } from '../support/command-line.js';
import { describeOnServer, embedded, onDatabase } from '../support/databases.js';

const distribute = ['database', 'distribute'];

describe('database distribute', () => {
  it('refuses the embedded database, and does not open it', async () => {
    const { env } = await embedded.createUnmigrated();
    expect(refused(await runCommand(env, ...distribute))).toBe(
      'Set DATABASE_URL: the embedded database cannot be distributed.\n',
    );
    expect(existsSync(env.DATA_DIR!)).toBe(false);
  });

  it('refuses arguments and unknown commands', async () => {
    const { env } = await embedded.createUnmigrated();
    for (const args of [['database'], ['database', 'gather'], [...distribute, 'pets']])
      refused(await runCommand(env, ...args));
  });
});

describeOnServer('database distribute', (kind) => {
  it('refuses a server without Citus, and creates nothing there', async () => {
    const database = await kind.createUnmigrated();
    expect(refused(await runCommand(database.env, ...distribute))).toMatch(
      /^The database has no Citus: run /,
    );
    expect(await onDatabase(database, `select from pg_class where relname = 'pets'`)).toEqual([]);
    await database.drop();
  });
});
