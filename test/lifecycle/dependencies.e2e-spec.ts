import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}
interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: Record<string, unknown>;
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

describe('npm packages', () => {
  it.each(
    Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    }),
  )('include %s in exactly the version %s', (name, version) => {
    expect(version).toMatch(EXACT);
    const locked = packages[`node_modules/${name}`];
    const { version: installed } = (locked?.link ? packages[locked.resolved ?? ''] : locked) ?? {};
    expect(installed).toBe(version);
  });

  it('are overridden by exact versions or by direct dependencies', () => {
    const versions = (of: unknown): string[] =>
      typeof of === 'string' ? [of] : Object.values(of as object).flatMap(versions);
    for (const version of versions(manifest.overrides)) expect(version).toMatch(/^\$|^\d+\.\d+\.\d+$/);
  });

  it('are locked by checksum and come only from the registry', () => {
    // The project itself and its packages have no checksum.
    const locked = Object.entries(packages).filter(
      ([path, { link }]) => path !== '' && !/^packages\/[^/]+$/.test(path) && link !== true,
    );
    expect(locked.length).toBeGreaterThan(300);
    for (const [path, { version, resolved, integrity, inBundle }] of locked) {
      expect([path, version]).toEqual([path, expect.stringMatching(EXACT)]);
      expect([path, resolved]).toEqual([path, undefined]);
      if (!inBundle) expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    }
  });

  it('match the lock file, and new ones are saved with exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = packages['']!;
    expect({ dependencies, devDependencies, optionalDependencies }).toEqual({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
      optionalDependencies: manifest.optionalDependencies,
    });
    expect(read('.npmrc')).toMatch(/^save-exact=true$/m);
  });

  it('include the Node that npm scripts run on', () => {
    const platforms = Object.keys(manifest.optionalDependencies).filter((name) => name.startsWith('node-'));
    expect(platforms).toHaveLength(5);
    for (const name of platforms) expect(manifest.optionalDependencies[name]).toMatch(/^24\./);
    // A package with an install script could fetch what the lock does not cover.
    const allowed = (JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> })
      .allowScripts;
    expect(Object.keys(allowed).filter((name) => allowed[name])).toEqual(['esbuild', 'unrs-resolver']);
  });

  it('are installed in the image from the lock file', () => {
    expect(read('deploy/install-production.sh')).toMatch(/npm ci [^\n]*--omit=dev/);
  });
});
