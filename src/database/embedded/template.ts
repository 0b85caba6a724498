import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzip } from 'node:zlib';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The files of a new database by their path; a directory has no bytes. */
type Entry = [path: string, bytes: Uint8Array | null];

/** Where the template for the installed PGlite lies: with what is installed, since `dist` is emptied by every build. */
export function templatePath(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')) as {
    version: string;
  };
  return fileURLToPath(
    new URL(`../../../node_modules/.cache/animal-store/pglite-${version}.gz`, import.meta.url),
  );
}

/** Packs a closed database's directory into one file, from which a new one unpacks several times faster than it is made. */
export async function packTemplate(store: string, path: string): Promise<void> {
  const entries: Entry[] = [];
  for (const item of await readdir(store, { recursive: true, withFileTypes: true })) {
    const file = join(item.parentPath, item.name);
    entries.push([relative(store, file), item.isDirectory() ? null : await readFile(file)]);
  }
  // A directory stands before what is in it.
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  await mkdir(dirname(path), { recursive: true });
  const packed = await promisify(gzip)(serialize(entries));
  // Renamed into place, so that whoever looks at the same time sees all of it or none.
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, packed);
  await rename(unfinished, path);
}

/** Unpacks a new database into the empty directory; false when there is no template. */
export function unpackTemplate(path: string, store: string): boolean {
  if (!existsSync(path)) return false;
  // A thousand small files: at once and in order is a good deal faster than one promise for each, and nobody
  // else runs in this thread yet.
  const entries = deserialize(gunzipSync(readFileSync(path))) as Entry[];
  for (const [name, bytes] of entries) {
    const target = join(store, name);
    if (bytes === null) mkdirSync(target, { mode: 0o700 });
    else writeFileSync(target, bytes, { mode: 0o600 });
  }
  return true;
}
