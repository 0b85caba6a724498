import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

// A directory of its own, so that the socket and the lock do not lie among PostgreSQL's files.
export const STORE = 'pgdata';
const UNFINISHED = 'pgdata.unfinished';

const SETTINGS: Record<string, string> = {
  // The default of 128 MB would use that much memory for data that the operating system caches anyway.
  shared_buffers: '16MB',
  // A checkpoint removes old log files instead of keeping them for later use.
  wal_recycle: 'off',
  min_wal_size: '32MB',
  timezone: 'UTC',
};

/** The files of a new database by their path; a directory has no bytes. */
type Entry = [path: string, bytes: Uint8Array | null];

/** Opens the database in the directory. A new one is unpacked from the template, or created where there is none. */
export async function openStore(
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PGlite> {
  const store = join(directory, STORE);
  if (!existsSync(store)) await createStore(directory, store);
  // PGlite would take a directory without this file for an empty one, and overwrite the database.
  if (!existsSync(join(store, 'PG_VERSION'))) throw new Error(`${STORE} has no file PG_VERSION`);
  return await openPglite(store, settings);
}

/**
 * Writes the template of the installed PGlite unless it exists. A new database is unpacked from it several times faster than initdb
 * creates it. PGlite's own dumpDataDir and loadDataDir were considered: loading opens the database as well, so that creating it in
 * a safe place (below) would open it twice.
 */
export async function buildTemplate(): Promise<void> {
  if (existsSync(templatePath())) return;
  const scratch = await mkdtemp(join(tmpdir(), 'pglite-template-'));
  try {
    await initialize(scratch);
    await writeTemplate(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeTemplate(scratch: string): Promise<void> {
  const entries: Entry[] = [];
  for (const item of await readdir(scratch, { recursive: true, withFileTypes: true })) {
    const file = join(item.parentPath, item.name);
    entries.push([relative(scratch, file), item.isDirectory() ? null : await readFile(file)]);
  }
  // A directory comes before its content.
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  // Renamed when complete, so that a process that starts at the same time never reads half a template.
  const unfinished = `${templatePath()}.${process.pid}`;
  await mkdir(dirname(unfinished), { recursive: true });
  await writeFile(unfinished, gzipSync(serialize(entries)));
  await rename(unfinished, templatePath());
}

/** The template of the installed version of PGlite lies beside the compiled code, wherever this file runs from. */
function templatePath(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const manifest = readFileSync(join(dirname(main), '../package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  return fileURLToPath(new URL(`../dist/pglite-${version}.template.gz`, import.meta.url));
}

/** Created under another name and renamed when complete, so that a kill leaves no half database behind. */
async function createStore(directory: string, store: string): Promise<void> {
  const unfinished = join(directory, UNFINISHED);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  if (existsSync(templatePath())) unpackTemplate(unfinished);
  else await initialize(unfinished);
  await rename(unfinished, store);
}

/** Synchronous: much faster for a thousand small files, and nothing else runs in this thread yet. */
function unpackTemplate(store: string): void {
  const entries = deserialize(gunzipSync(readFileSync(templatePath()))) as Entry[];
  for (const [name, bytes] of entries) {
    const target = join(store, name);
    if (bytes === null) mkdirSync(target, { mode: 0o700 });
    else writeFileSync(target, bytes, { mode: 0o600 });
  }
}

/** Fills an empty directory with a new database; takes several seconds. */
async function initialize(store: string): Promise<void> {
  const database = await openPglite(store);
  await database.exec('CHECKPOINT');
  await database.close();
}

async function openPglite(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<PGlite> {
  const parameters = Object.entries({ ...SETTINGS, ...settings });
  const startParams = parameters.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let complaint = '';
  const onStderr = (line: string): true => {
    complaint = /(?:FATAL|PANIC): *(.+)/.exec(line)?.[1] ?? complaint;
    return true;
  };
  try {
    return await PGlite.create({
      dataDir,
      startParams: [...PGlite.defaultStartParams, ...startParams],
      onStderr,
    });
  } catch (cause) {
    throw complaint === '' ? cause : new Error(complaint, { cause });
  }
}
