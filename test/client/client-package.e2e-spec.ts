import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/clean-up.js';
import { listen } from '../support/servers/listen.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE_MODULES = join(ROOT, 'node_modules');
/** The modules of the client, without tests and what tests use. */
const MODULES = readdirSync(join(ROOT, 'packages/client/src'))
  .filter((name) => !/\.spec\.ts$|-under-test\.ts$/.test(name))
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

describe('the packed client', () => {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/animal-store-client');
  let packed: string[];

  beforeAll(async () => {
    // The project is built, so the client need not be built again.
    const npm = ['pack', '--json', '--ignore-scripts', '--workspace', 'packages/client'];
    const { stdout } = await run('npm', [...npm, '--pack-destination', folder], { cwd: ROOT });
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ];
    packed = files.map(({ path }) => path).sort();
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types']) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(NODE_MODULES, name), link);
    }
  });

  it('includes only modules, declarations, the README and the licence of the service', () => {
    const built = MODULES.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
    expect(packed).toEqual(['LICENSE', 'README.md', ...built, 'package.json'].sort());
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
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
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
