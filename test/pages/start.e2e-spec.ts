import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { atCleanUp, temporaryFolder } from '../support/clean-up.js';
import { embedded } from '../support/databases.js';
import { listen } from '../support/servers/listen.js';
import { ownService } from '../support/service.js';
import { storeOf } from '../support/store.js';

const run = promisify(execFile);
const PAGE = readFileSync(new URL('../../docs/start.md', import.meta.url), 'utf8');
/** More digits than a double holds. */
const EXACT = 9_007_199_254_740_993n;
const ANIMALS = 120;
/** A line between the outputs of two steps. */
const MARK = '--- next step ---';

/** The blocks of the page in one language, in order. */
const blocksOf = (language: string) =>
  Array.from(PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm')), ([, block]) => block!);

/** The program that a reader has who copies every block, with a mark between the steps. */
const programOf = (language: string, mark: string) => blocksOf(language).join(`${mark}\n`);

/** Tests with a program that a machine may lack. They are reported as skipped there. */
const withProgram = (program: string) =>
  spawnSync(program, [program === 'go' ? 'version' : '--version']).error === undefined ? it : it.skip;

describe('/docs/start', () => {
  const service = ownService(embedded);
  const store = storeOf(service);
  const folder = temporaryFolder();
  let address: string;

  beforeAll(async () => {
    for (const count of [100, ANIMALS - 100]) {
      const pets = Array.from({ length: count }, () => `{"name":"Rex","categoryId":${String(EXACT)}}`).join();
      const { status } = await store.send({
        method: 'POST',
        path: '/v1/pets/batch',
        body: `{"pets":[${pets}]}`,
      });
      expect(status).toBe(201);
    }
    address = await behindRefusals();
  });

  /** The service, where the first getRateLimit of each key is refused with 429. */
  async function behindRefusals(): Promise<string> {
    const refused = new Set<string>();
    const server = createServer((incoming, outgoing) => {
      const { method, url = '', headers } = incoming;
      if (url.endsWith('/rate-limit') && !refused.has(headers.authorization!)) {
        refused.add(headers.authorization!);
        const refusal = '{"code":"rate_limit_exceeded","message":"Too many requests.","status":429}';
        outgoing.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' }).end(refusal);
        return;
      }
      const forwarded = request(service.url + url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
    atCleanUp(() => server.close());
    return listen(server);
  }

  /** The outputs of the steps of a program that runs with a partner's key. */
  async function outputsOf(program: string, options: string[]): Promise<string[]> {
    const { key } = await service.issue({ access: 'order' });
    const env = { ...process.env, API: `${address}/v1`, KEY: key, NODE_NO_WARNINGS: '1' };
    const { stdout } = await run(program, options, { cwd: folder, env, maxBuffer: 1e7 });
    return stdout.split(`${MARK}\n`);
  }

  function expectSteps([first, every, limits, orders, event, secret, ...more]: string[]): Promise<void> {
    expect(more).toEqual([]);
    expect(first).toContain(String(EXACT));
    expect(every!.match(/Rex/g)).toHaveLength(ANIMALS);
    expect(limits).toMatch(/minute[^]*day/);
    const placed = Array.from(orders!.matchAll(/\bid\W+(\d+)/g), ([, id]) => id);
    expect(placed).toEqual([placed[0], placed[0]]);
    expect(event).toContain('order.placed');
    return expectWorks(/ask_\w{49}/.exec(secret!)![0]);
  }

  const expectWorks = async (key: string) =>
    expect((await service.call({ path: '/v1/rate-limit', key })).status).toBe(200);

  it('takes the reader from a key to a followed event with curl', async () => {
    const script = programOf('sh', `echo; echo '${MARK}'`).replace(/^export .*\n.*\n/, '');
    await expectSteps(await outputsOf('bash', ['-euo', 'pipefail', '-c', script]));
  });

  it('takes the reader from a key to a followed event in TypeScript', async () => {
    const [, install] = /after `(npm init [^`]+)`/.exec(PAGE)!;
    await run('bash', ['-c', install!.replace('http://127.0.0.1:3000', service.url)], {
      cwd: folder,
      // Nothing answers there: what is installed is all in the file.
      env: { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_audit: 'false' },
    });
    const [setUp, ...steps] = blocksOf('ts');
    const program = setUp! + steps.map((step) => `{\n${step}}\n`).join(`console.log('${MARK}');\n`);
    writeFileSync(join(folder, 'start.ts'), program);
    await expectSteps(await outputsOf(process.execPath, ['start.ts']));
  });

  withProgram('python3')('takes the reader from a key to a followed event in Python', async () => {
    const [setUp, ...steps] = blocksOf('py');
    const lines = [setUp!, ...steps].join('').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    await expectSteps(await outputsOf('python3', ['-c', setUp! + steps.join(`print("${MARK}")\n`)]));
  });

  withProgram('go')('lists every animal in Go', async () => {
    const [program] = blocksOf('go');
    expect(program!.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    writeFileSync(join(folder, 'pets.go'), program!);
    const [output] = await outputsOf('go', ['run', 'pets.go']);
    expect(output!.match(/^\d+ Rex$/gm)).toHaveLength(ANIMALS);
  });
});
