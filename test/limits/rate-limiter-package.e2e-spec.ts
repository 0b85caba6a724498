import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { start, temporaryFolder } from '../support/clean-up.js';
import { redisKinds } from '../support/servers/redis.js';
import { untilMinuteHasRoom } from '../support/until.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE_MODULES = join(ROOT, 'node_modules');

/** A program of another project, which compiles only with correct types. */
const PROGRAM = `
  import { createRateLimiter, type Decision } from 'exact-rate-limiter';
  const limiter = await createRateLimiter({ clock: { nowMs: () => 0, monotonicMs: () => 0 } });
  const decision: Decision = await limiter.decide({ id: 'one', perMinute: 2, perDay: null });
  // @ts-expect-error A limit is missing.
  limiter.peek({ id: 'one', perDay: null });
  console.log(decision.outcome, decision.windows[0]?.remaining);
`;

describe('the packed rate limiter', () => {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/exact-rate-limiter');
  let packed: string[];

  beforeAll(async () => {
    // The project is built, so the package need not be built again.
    const npm = ['pack', '--json', '--ignore-scripts', '--workspace', 'packages/rate-limiter'];
    const { stdout } = await run('npm', [...npm, '--pack-destination', folder], { cwd: ROOT });
    const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ];
    packed = files.map(({ path }) => path);
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    for (const name of ['ioredis', 'lru-cache', '@types/node', 'undici-types']) {
      const link = join(folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(NODE_MODULES, name), link);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });

  it('includes its script, its example and the licence of the service, and no test', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'dist/index.d.ts',
        'dist/redis/decide.lua',
        'example/server.mjs',
      ]),
    );
    expect(packed.filter((path) => /spec|test|\.map$/.test(path))).toEqual([]);
    const licenceIn = (path: string) => readFileSync(join(path, 'LICENSE'), 'utf8');
    expect(licenceIn(installed)).toBe(licenceIn(ROOT));
  });

  it('compiles and runs in another project', async () => {
    const program = join(folder, 'program.ts');
    writeFileSync(program, PROGRAM);
    const flags = '--strict --skipLibCheck --target es2024 --module nodenext --types node'.split(' ');
    await run(process.execPath, [join(NODE_MODULES, 'typescript/bin/tsc'), ...flags, program], {
      cwd: folder,
    });
    const { stdout } = await run(process.execPath, [join(folder, 'program.js')]);
    expect(stdout).toBe('admitted 1\n');
  });

  it.each(redisKinds)('runs its example, counted $name', async (redis) => {
    const { env } = await redis.create();
    const servers = Array.from({ length: env.REDIS_URL ? 2 : 1 }, () =>
      start(process.execPath, [join(installed, 'example/server.mjs')], {
        cwd: folder,
        env: { ...env, PATH: process.env.PATH },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const urls = await Promise.all(
      servers.map(async ({ stdout }) => {
        const [line] = (await once(stdout!, 'data')) as [Buffer];
        return String(line).trim();
      }),
    );
    await untilMinuteHasRoom();
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        fetch(urls[index % urls.length]!, { headers: { 'X-Customer': 'one' } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    for (const server of servers) server.kill();
    expect(
      await Promise.all(servers.map(async (server) => (await once(server, 'close'))[0] as number)),
    ).toEqual(servers.map(() => 0));
  });
});
