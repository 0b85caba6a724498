import { readdirSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { OPERATIONS } from '../support/http/document.js';
import { ownService, sharedService } from '../support/service.js';

const CALLERS_PAGES = '/docs/start /docs/errors /docs/faq /docs/versioning /docs/changelog'.split(' ');
const PAGES = ['/docs', ...CALLERS_PAGES];
const CONSOLE = [
  '/console',
  ...readdirSync('packages/console/dist')
    .filter((name) => name.endsWith('.js'))
    .map((name) => `/console/${name}`),
];
const TEXTS = [
  ...PAGES,
  ...CONSOLE,
  ...'/docs/swagger-ui-bundle.js /docs/swagger-ui.css /openapi.json /openapi.yaml /llms.txt'.split(' '),
];
const DECODE: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

// routes.e2e-spec.ts has redirects.
describe('open paths', () => {
  const service = sharedService(anyKind);

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    service.call({ method, path, headers });

  it.each(TEXTS)('serve %s compressed, with one ETag per encoding', async (path) => {
    const plain = await get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const tags = new Set([plain.headers.etag]);
    for (const encoding of ['br', 'gzip']) {
      const compressed = await get(path, { 'accept-encoding': encoding });
      expect(compressed.headers['content-encoding']).toBe(encoding);
      expect(compressed.headers.vary).toContain('Accept-Encoding');
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length);
      expect(DECODE[encoding]!(compressed.bytes).equals(plain.bytes)).toBe(true);
      tags.add(compressed.headers.etag);
    }
    expect(tags.size).toBe(3);
  });

  it.each(PAGES)(
    'lead from %s to every page and nowhere else, also below the path of a proxy',
    async (path) => {
      const { text } = await get(path);
      const links = Array.from(text.matchAll(/ (?:href|src)="([^"]+)/g), ([, link = '']) => link);
      const targets = links
        .map((link) => new URL(link, `http://proxy.example/shop${path}`))
        .filter(({ host }) => host === 'proxy.example');
      for (const { pathname, hash } of targets) {
        expect(pathname).toMatch(/^\/shop\//);
        const target = await get(pathname.replace('/shop', ''));
        expect([pathname, target.status]).toEqual([pathname, 200]);
        // The console reads what begins with a slash itself.
        if (hash !== '' && !hash.startsWith('#/')) expect(target.text).toContain(` id="${hash.slice(1)}"`);
      }
      const linked = targets.map(({ pathname }) => pathname.replace('/shop', ''));
      expect(linked).toEqual(expect.arrayContaining([...PAGES, '/console']));
    },
  );

  it('include the document as JSON and YAML', async () => {
    const [json, yaml] = [await get('/openapi.json'), await get('/openapi.yaml')];
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(yaml.headers['content-type']).toContain('yaml');
    const servers = [{ url: '/v1', description: 'This server' }];
    const served: unknown = JSON.parse(json.text);
    expect(served).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' }, servers });
    // A caller may have the document alone.
    for (const path of CALLERS_PAGES) expect(json.text).toContain(`](${path})`);
    // YAML 1.1 reads a date that is not quoted as a time.
    expect(yaml.text).toContain('x-sunset: "2030-12-05"');
    // A parser of numbers would round the bounds of an int64.
    for (const { text } of [json, yaml]) expect(text).toMatch(/minimum"?: ?-9223372036854775808\b/);
  });

  it('serve uncompressed content to callers that refuse compression', async () => {
    for (const accepted of ['', 'identity', 'br;q=0, gzip;q=0.0', 'deflate']) {
      const { headers } = await get('/docs', { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  it('answer 304 to a matching ETag', async () => {
    for (const path of [...TEXTS, '/favicon.ico', '/robots.txt']) {
      for (const method of ['GET', 'HEAD']) {
        const accepted = { 'accept-encoding': 'gzip' };
        const { headers } = await get(path, accepted, method);
        const again = await get(path, { ...accepted, 'if-none-match': headers.etag! }, method);
        expect([path, method, again.status, again.text]).toEqual([path, method, 304, '']);
        expect(again.headers.etag).toBe(headers.etag);
        // A cache would store them over those of the content.
        for (const name of ['content-type', 'content-length', 'content-encoding'])
          expect(again.headers[name]).toBeUndefined();
        expect((await get(path, { ...accepted, 'if-none-match': '"other"' }, method)).status).toBe(200);
      }
    }
  });

  it('include llms.txt, which names every operation with a body to send and leads to the rest', async () => {
    const { text } = await get('/llms.txt');
    for (const { method, path, operationId, summary } of OPERATIONS)
      expect(text).toContain(`- ${method} ${path.replace('/v1', '')} (${operationId}): ${summary} [`);
    // The body of a write; an action takes none.
    expect(text).toContain(' [manage, stable] `{"name":"Rex","categoryId":7}`\n');
    expect(text).toMatch(/\(approveOrder\): .* \[manage, beta\]$/m);
    const links = Array.from(text.matchAll(/\]\((\/[^)]+)\)/g), ([, link]) => link!);
    expect(links).toEqual(expect.arrayContaining(['/openapi.json', ...CALLERS_PAGES, '/client.tgz']));
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
  });

  it('include robots.txt, which refuses robots, and an icon', async () => {
    expect((await get('/robots.txt')).text).toBe('User-agent: *\nDisallow: /\n');
    const icon = await get('/favicon.ico');
    expect(icon.headers['content-type']).toBe('image/png');
    expect(icon.bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  // logs.e2e-spec.ts tests logs and other responses, metrics.e2e-spec.ts the metrics.
  it.each(['/docs', '/docs/page.js', '/docs/page.css', '/openapi.json', '/openapi.yaml'])(
    'include no key, setting or path of the machine in %s',
    async (path) => {
      const { id, key } = await service.issue();
      const { status, text } = await get(`${path}?key=${key}`, { authorization: `Bearer ${key}` });
      expect(status).toBe(200);
      const secrets = [key.slice(12, 24), id, process.cwd(), ...Object.values(service.env)];
      for (const secret of secrets) expect(text).not.toContain(secret);
    },
  );

  it.each(['/health/live', '/health/ready'])('include only the status in %s', async (path) => {
    const authorization = `Bearer ${await service.issueKey()}`;
    for (const [target, headers] of [[path], [`${path}?verbose=1`], [path, { authorization }]] as const) {
      const { status, text, headers: answered } = await get(target, headers);
      expect([status, text]).toEqual([200, '{"status":"ok"}']);
      const names = 'connection content-length content-type date x-content-type-options x-request-id';
      expect(Object.keys(answered).sort().join(' ')).toBe(names);
    }
  });
});

describe('open paths below a prefix that a proxy strips', () => {
  const service = ownService(anyKind, { PUBLIC_BASE_URL: 'https://h.example/animals/v1' });

  it('name the public address in what callers copy', async () => {
    const [start, llms] = [
      await service.call({ path: '/docs/start' }),
      await service.call({ path: '/llms.txt' }),
    ];
    expect(start.text).toContain('npm install https://h.example/animals/client.tgz');
    expect(start.text).not.toContain('127.0.0.1');
    expect(llms.text).toContain('Base address: https://h.example/animals/v1 ');
    expect(llms.text).toContain('](https://h.example/animals/openapi.json)');
  });

  it('lead from a page that is not there to those that are, in few bytes for any path', async () => {
    for (const path of ['/nothing', '/'.repeat(8_000)]) {
      // Not the client of the tests, which expects the Error body of every 404.
      const answer = await fetch(service.url + path, { headers: { accept: 'text/html' } });
      const text = await answer.text();
      expect([answer.status, answer.headers.get('vary')]).toEqual([404, 'Accept']);
      expect(text).toContain('href="/animals/docs/faq"');
      expect(text.length).toBeLessThan(path.length + 5_000);
    }
  });

  it.each([
    ['/animals', '/animals/docs'],
    ['/animals/', '/animals/docs'],
    ['/animals/docs/', '/animals/docs'],
    ['/animals/console/', '/animals/console'],
    ['/animals/usage', '/animals/console'],
    ['/animals/keys', '/animals/console'],
  ])('redirect from %s to %s', async (path, expected) => {
    const { headers } = await service.call({ path: path.replace('/animals', '') || '/' });
    const { origin, pathname } = new URL(headers.location!, `https://h.example${path}`);
    expect([origin, pathname]).toEqual(['https://h.example', expected]);
  });
});
