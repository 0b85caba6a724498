import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const DIST = new URL('../../dist/', import.meta.url);
/** Makes this Node report an old version to code that is loaded later. */
const AS_OLD_NODE = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
)}`;

describe.each([
  ['main.js', 'exitOnOldNode, keepClassOfTicks, keepCompiledModules'],
  ['cli.js', 'exitOnOldNode, keepCompiledModules'],
])('dist/%s on a Node that is too old', (entry, names) => {
  it('names the required version in one line and exits with 1', () => {
    const path = new URL(entry, DIST).pathname;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', AS_OLD_NODE, path], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    const manifest = readFileSync(new URL('../package.json', DIST), 'utf8');
    const { engines } = JSON.parse(manifest) as { engines: { node: string } };
    expect(engines.node).toMatch(/^>=\d+$/);
    expect(stderr).toBe(
      `This needs Node ${engines.node.slice(2)} or later, and runs on Node 20.20.2; npm scripts bring their own after npm ci.\n`,
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it('loads only the check of the version before that check', () => {
    const staticImports = (file: string) =>
      readFileSync(new URL(file, DIST), 'utf8').match(/^(import\b(?!\()|export\b.*\bfrom\b).*$/gm) ?? [];
    expect(staticImports(entry)).toEqual([`import { ${names} } from './platform/process/prepare-node.js';`]);
    expect(staticImports('platform/process/prepare-node.js')).toEqual([]);
  });
});

describe.each(['main.js', 'cli.js'])('dist/%s', (entry) => {
  const run = (...args: string[]) => {
    const options = { encoding: 'utf8', timeout: 20_000 } as const;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [new URL(entry, DIST).pathname, ...args],
      options,
    );
    return { status, stdout, stderr };
  };

  it('answers --version and --help, and refuses other arguments in one line', () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', DIST), 'utf8')) as {
      version: string;
    };
    expect(run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' });
    expect(run('--nothing')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .+\n$/),
    });
  });
});
