import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { databaseKinds } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';

const TEXTS = [
  '/docs',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/openapi.json',
  '/openapi.yaml',
  '/usage',
];
const DECODE: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

describe.each(databaseKinds)('open paths on $name', (kind) => {
  const service = sharedService(kind);

  async function fetchBytes(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const outgoing = request(service.url + path, { method, headers }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) };
  }

  it.each(TEXTS)('serve %s compressed, with one ETag per encoding', async (path) => {
    const plain = await fetchBytes(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const tags = new Set([plain.headers.etag]);
    for (const encoding of ['br', 'gzip']) {
      const compressed = await fetchBytes(path, { 'accept-encoding': encoding });
      expect(compressed.headers['content-encoding']).toBe(encoding);
      expect(compressed.headers.vary).toContain('Accept-Encoding');
      expect(compressed.body.length).toBeLessThan(plain.body.length);
      expect(DECODE[encoding]!(compressed.body).equals(plain.body)).toBe(true);
      tags.add(compressed.headers.etag);
    }
    expect(tags.size).toBe(3);
  });

  it('include the document as JSON and YAML', async () => {
    const [json, yaml] = [await fetchBytes('/openapi.json'), await fetchBytes('/openapi.yaml')];
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(yaml.headers['content-type']).toContain('yaml');
    const servers = [{ url: '/v1', description: 'This server' }];
    const served: unknown = JSON.parse(json.body.toString());
    expect(served).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' }, servers });
    // A parser of numbers would round the bounds of an int64.
    for (const { body } of [json, yaml])
      expect(body.toString()).toMatch(/minimum"?: ?-9223372036854775808\b/);
  });

  it('serve uncompressed content to callers that refuse compression', async () => {
    for (const accepted of ['', 'identity', 'br;q=0, gzip;q=0.0', 'deflate'])
      expect(
        (await fetchBytes('/docs', { 'accept-encoding': accepted })).headers['content-encoding'],
      ).toBeUndefined();
  });

  it('answer 304 to a matching ETag', async () => {
    for (const path of [...TEXTS, '/favicon.ico', '/robots.txt']) {
      for (const method of ['GET', 'HEAD']) {
        const accepted = { 'accept-encoding': 'gzip' };
        const { headers } = await fetchBytes(path, accepted, method);
        const again = await fetchBytes(path, { ...accepted, 'if-none-match': headers.etag! }, method);
        expect([path, method, again.status, again.body.length]).toEqual([path, method, 304, 0]);
        expect(again.headers.etag).toBe(headers.etag);
        // A cache would store them over those of the content.
        for (const name of ['content-type', 'content-length', 'content-encoding'])
          expect(again.headers[name]).toBeUndefined();
        expect((await fetchBytes(path, { ...accepted, 'if-none-match': '"other"' }, method)).status).toBe(
          200,
        );
      }
    }
  });

  it.each([
    ['/', 302, '/docs'],
    ['/docs/', 308, '/docs'],
    ['/usage/', 308, '/usage'],
  ])('redirect %s (%i) to %s', async (path, status, location) => {
    const answer = await fetchBytes(path);
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('include robots.txt, which refuses robots, and an icon', async () => {
    expect((await fetchBytes('/robots.txt')).body.toString()).toBe('User-agent: *\nDisallow: /\n');
    const icon = await fetchBytes('/favicon.ico');
    expect(icon.headers['content-type']).toBe('image/png');
    expect(icon.body.subarray(1, 4).toString()).toBe('PNG');
  });

  // logs.e2e-spec.ts tests logs and other responses, metrics.e2e-spec.ts the metrics.
  it.each(['/docs', '/docs/page.js', '/docs/page.css', '/openapi.json', '/openapi.yaml'])(
    'include no key, setting or path of the machine in %s',
    async (path) => {
      const { id, key } = await service.issue();
      const { status, body } = await fetchBytes(`${path}?key=${key}`, { authorization: `Bearer ${key}` });
      expect(status).toBe(200);
      const secrets = [key.slice(12, 24), id, process.cwd(), ...Object.values(service.env)];
      for (const secret of secrets) expect(body.toString()).not.toContain(secret);
    },
  );

  it.each(['/health/live', '/health/ready'])('include only the status in %s', async (path) => {
    const authorization = `Bearer ${await service.issueKey()}`;
    for (const [target, headers] of [[path], [`${path}?verbose=1`], [path, { authorization }]] as const) {
      const { status, body, headers: answered } = await fetchBytes(target, headers);
      expect([status, body.toString()]).toEqual([200, '{"status":"ok"}']);
      const names = Object.keys(answered).filter(
        (name) => !['connection', 'keep-alive', 'date'].includes(name),
      );
      expect(names.sort()).toEqual([
        'content-length',
        'content-type',
        'x-content-type-options',
        'x-request-id',
      ]);
    }
  });
});
