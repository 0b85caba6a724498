import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { unpackTemplate } from './template.js';

// Apart from the socket and the lock, so that nothing of ours lies among PostgreSQL's files.
const STORE = 'pgdata';
const UNFINISHED = 'pgdata.unfinished';

const START_PARAMETERS = [
  ...PGlite.defaultStartParams,
  '-c',
  // The default of 128 MB costs that much memory for data that the operating system caches anyway.
  'shared_buffers=16MB',
  // Log files that a checkpoint has done with are removed, not kept for a writer that is never that busy.
  '-c',
  'wal_recycle=off',
  '-c',
  'min_wal_size=32MB',
  '-c',
  'timezone=UTC',
  // As on a server (data-source.ts); what a client asks for at its start is left aside, for there is one session.
  '-c',
  'plan_cache_mode=force_generic_plan',
];

/** Opens the database in the directory, creating it first where there is none, from the template if that exists. */
export async function openStore(dir: string, templatePath: string): Promise<PGlite> {
  const store = join(dir, STORE);
  if (!existsSync(store)) await createStore(dir, store, templatePath);
  // PGlite would take a directory without this file for an empty one, and write a new database over the old.
  if (!existsSync(join(store, 'PG_VERSION'))) throw new Error(`${STORE} has no file PG_VERSION`);
  let complaint = '';
  try {
    return await PGlite.create({
      dataDir: store,
      startParams: START_PARAMETERS,
      onStderr: (line) => {
        complaint = /(?:FATAL|PANIC): *(.+)/.exec(line)?.[1] ?? complaint;
        return true;
      },
    });
  } catch (cause) {
    throw complaint === '' ? cause : new Error(complaint, { cause });
  }
}

/** Made aside and renamed when whole, so that a kill half way leaves no half database behind. */
async function createStore(dir: string, store: string, templatePath: string): Promise<void> {
  const unfinished = join(dir, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  if (!unpackTemplate(templatePath, unfinished)) await initialize(unfinished);
  await rename(unfinished, store);
}

/** Fills an empty directory with a new database: PostgreSQL's own initdb, several seconds long. */
export async function initialize(store: string): Promise<void> {
  const fresh = await PGlite.create({ dataDir: store, startParams: START_PARAMETERS });
  await fresh.exec('CHECKPOINT');
  await fresh.close();
}
