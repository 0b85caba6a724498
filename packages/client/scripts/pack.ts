import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Packs the built package into client.tgz, which the service offers. Its dependencies are in it, so that installing it asks no registry.
 * `npm pack` takes bundled dependencies from the package's own folder only, and a workspace has them in the root's: a copy is packed.
 */
const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const BUNDLED = ['openapi-fetch', 'openapi-typescript-helpers'];

const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as Record<string, unknown>;
// For this repository only.
delete manifest.scripts;
delete manifest.devDependencies;
const copy = await mkdtemp(join(tmpdir(), 'animal-store-client-'));
try {
  for (const name of ['dist', 'README.md', 'LICENSE'])
    await cp(join(PACKAGE, name), join(copy, name), { recursive: true });
  await writeFile(
    join(copy, 'package.json'),
    JSON.stringify({ ...manifest, bundleDependencies: BUNDLED }, null, 2),
  );
  for (const name of BUNDLED) {
    const folder = dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
    await cp(folder, join(copy, 'node_modules', name), { recursive: true });
  }
  // npm gives its scripts the path of its own program. On Windows `npm` is a command file, which execFileSync cannot start.
  const pack = [process.env.npm_execpath ?? '', 'pack', '--json', '--ignore-scripts'];
  const [{ filename }] = JSON.parse(
    execFileSync(process.execPath, pack, { cwd: copy, encoding: 'utf8' }),
  ) as [{ filename: string }];
  await cp(join(copy, filename), join(PACKAGE, 'client.tgz.new'));
  // A build beside a starting service must not show it half a file.
  await rename(join(PACKAGE, 'client.tgz.new'), join(PACKAGE, 'client.tgz'));
} finally {
  await rm(copy, { recursive: true, force: true });
}
