import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/clean-up.js';
import { anyKind } from '../support/databases.js';
import { listen } from '../support/servers/listen.js';
import { sharedService } from '../support/service.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE_MODULES = join(ROOT, 'node_modules');
/** The modules of the client, without tests. */
const MODULES = readdirSync(join(ROOT, 'packages/client/src'))
  .filter((name) => !name.endsWith('.spec.ts'))
  .map((name) => name.replace(/\.ts$/, ''));

/** A caller's program, which compiles only with correct types. */
const PROGRAM = `
  import { AnimalStoreClient, ApiError, type Int64 } from 'animal-store-client';
  const client = new AnimalStoreClient({ baseUrl: process.argv[2] ?? '', apiKey: 'ask_key' });
  const seen: Int64[] = [];
  for await (const pet of client.pets({ status: 'available' })) seen.push(pet.id);
  let code = '';
  try {
    await client.createPet({ name: 'Rex', categoryId: 2n ** 53n + 1n });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'insufficient_access') code = error.code;
  }
  // @ts-expect-error Not a status.
  client.pets({ status: 'lost' });
  console.log(seen.map((id) => typeof id + ' ' + id).join(', '), code);
`;

describe('the client that the service offers', () => {
  const service = sharedService(anyKind);
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/animal-store-client');

  beforeAll(async () => {
    // Nothing answers there: what is installed is all in the file.
    const settings = ['--registry=http://127.0.0.1:9', '--fetch-retries=0', '--no-audit', '--no-fund'];
    await run(
      'npm',
      ['install', `${service.url}/client.tgz`, ...settings, `--cache=${join(folder, '.npm')}`],
      { cwd: folder },
    );
    for (const name of ['@types/node', 'undici-types']) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(NODE_MODULES, name), link);
    }
  });

  it('includes only modules, declarations, the README, the licence of the service and what it needs', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
    const built = MODULES.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
    const own = files.filter((name) => !name.startsWith('node_modules/'));
    expect(own.sort()).toEqual(['LICENSE', 'README.md', ...built, 'package.json'].sort());
    const needed = new Set(files.filter((name) => !own.includes(name)).map((name) => name.split('/')[1]));
    expect([...needed].filter((name) => name !== '.package-lock.json').sort()).toEqual([
      'openapi-fetch',
      'openapi-typescript-helpers',
    ]);
    // The import map of the README names it.
    expect(files).toContain('node_modules/openapi-fetch/dist/index.mjs');
    const licenceIn = (folder: string) => readFileSync(join(folder, 'LICENSE'), 'utf8');
    expect(licenceIn(installed)).toBe(licenceIn(ROOT));
  });

  it('names a missing feature of the platform on import', async () => {
    const flags = ['--import', 'data:text/javascript,delete JSON.rawJSON', '--input-type=module'];
    const program = "await import('animal-store-client').catch(({ message }) => console.log(message))";
    const { stdout } = await run(process.execPath, [...flags, '--eval', program], { cwd: folder });
    expect(stdout).toBe(
      'animal-store-client needs JSON.rawJSON for exact integers: its README names the platforms that have it\n',
    );
  });

  it('compiles and runs in another project', async () => {
    const program = join(folder, 'program.ts');
    await run('npm', ['pkg', 'set', 'type=module'], { cwd: folder });
    writeFileSync(program, PROGRAM);
    const flags = '--strict --skipDefaultLibCheck --target es2024 --module nodenext --types node'.split(' ');
    await run(process.execPath, [join(NODE_MODULES, 'typescript/bin/tsc'), ...flags, program], {
      cwd: folder,
    });

    const server = createServer(({ method }, response) => {
      const body = '{"code":"insufficient_access","message":"No.","status":403}';
      if (method === 'POST') response.writeHead(403).end(body);
      else response.end('[{"id":1},{"id":9007199254740993}]');
    });
    const baseUrl = `${await listen(server)}/v1`;
    const { stdout } = await run(process.execPath, [join(folder, 'program.js'), baseUrl]);
    server.close();
    expect(stdout).toBe('number 1, bigint 9007199254740993 insufficient_access\n');
  });
});
