import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitOnOldNode } from '../src/platform/process/prepare-node.js';
import { callersPages } from './callers-pages.js';

/*
 * `npm run build`: compiles the packages and the service into their `dist`, and copies what is not TypeScript.
 * Everything is written only where it changes, so a build without a change is quick and disturbs no running service. Options are passed
 * on to tsc.
 */
exitOnOldNode();
const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The packages come first because the service imports them. */
const PROJECTS = [...packages(), 'tsconfig.build.json'];
const KEPT = /\.(tsbuildinfo|template\.gz)$/;
/** Files of `dist` that are not made from a file of `src`. */
const GENERATED = new Map(
  Array.from(await callersPages(), ([name, text]) => [`platform/openapi/page/${name}`, text]),
);

for (const project of PROJECTS) removeStaleOutputs(join(ROOT, dirname(project)));
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '--build', ...PROJECTS, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
for (const project of PROJECTS) copyAssets(join(ROOT, dirname(project)));
for (const [path, text] of GENERATED) writeChanged(join(ROOT, 'dist', path), Buffer.from(text));
// A first start unpacks this template instead of making its own database.
const { buildTemplate } = (await import(
  new URL('../packages/pglite-server/dist/store.js', import.meta.url).href
)) as typeof import('../packages/pglite-server/src/store.js');
await buildTemplate();

function packages(): string[] {
  if (!existsSync(join(ROOT, 'packages'))) return [];
  const paths = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/tsconfig.build.json`);
  return paths.filter((path) => existsSync(join(ROOT, path)));
}

/** tsc leaves the outputs of a deleted source behind, and the service would go on loading them. */
function removeStaleOutputs(folder: string): void {
  for (const path of filesOf(join(folder, 'dist'))) {
    const source = path.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    const isCurrent = [source, path].some((name) => existsSync(join(folder, 'src', name)));
    if (!isCurrent && !KEPT.test(path) && !GENERATED.has(path)) rmSync(join(folder, 'dist', path));
  }
}

function copyAssets(folder: string): void {
  for (const path of filesOf(join(folder, 'src'))) {
    if (!path.endsWith('.ts'))
      writeChanged(join(folder, 'dist', path), readFileSync(join(folder, 'src', path)));
  }
}

function writeChanged(path: string, content: Buffer): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Paths relative to the folder, with forward slashes. */
function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}
