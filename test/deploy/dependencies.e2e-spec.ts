import { describe, expect, it } from '@jest/globals';
import { read } from '../support/tools/deployment.js';

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: object;
  allowScripts: Record<string, boolean>;
}
interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

// `npm ci` refuses a lock file that does not match package.json.
describe('npm packages', () => {
  it('have exact versions, also new ones and those of overrides', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.filter(([, version]) => !EXACT.test(version))).toEqual([]);
    expect(read('.npmrc')).toMatch(/^save-exact=true$/m);
    const within = (of: unknown): string[] =>
      typeof of === 'string' ? [of] : Object.values(of as object).flatMap(within);
    // `$` names a direct dependency.
    expect(
      within(manifest.overrides).filter((version) => !version.startsWith('$') && !EXACT.test(version)),
    ).toEqual([]);
  });

  it('are locked by checksum and come only from the registry', () => {
    // The project itself and its packages have no checksum.
    const locked = Object.entries(packages).filter(
      ([path, { link }]) => path !== '' && !/^packages\/[^/]+$/.test(path) && link !== true,
    );
    expect(locked.length).toBeGreaterThan(300);
    const unsafe = locked.filter(
      ([, { version = '', resolved, integrity = '', inBundle }]) =>
        !EXACT.test(version) || resolved !== undefined || (!inBundle && !integrity.startsWith('sha512-')),
    );
    expect(unsafe).toEqual([]);
    expect(read('deploy/install-production.sh')).toMatch(/npm ci [^\n]*--omit=dev/);
  });

  it('include the Node that npm scripts run on', () => {
    const platforms = Object.entries(manifest.optionalDependencies).filter(([name]) =>
      name.startsWith('node-'),
    );
    expect(platforms).toHaveLength(5);
    for (const [, version] of platforms) expect(version).toMatch(/^24\./);
    // A package with an install script could fetch what the lock does not cover.
    const { allowScripts } = manifest;
    const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
    expect(allowed).toEqual(['esbuild', 'unrs-resolver']);
  });
});
