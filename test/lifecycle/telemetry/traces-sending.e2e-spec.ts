import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Collector } from '../../support/servers/collector.js';
import { anyKind, type TestDatabase } from '../../support/databases.js';
import { redisKinds } from '../../support/servers/redis.js';
import { preload, watchModules } from '../../support/preload.js';
import { Service } from '../../support/service.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { atOnce, until } from '../../support/until.js';

const shared = redisKinds.find(({ name }) => name === 'in Redis');
const withServers = shared && anyKind.name === 'postgresql' ? it : it.skip;

const HOUR_MS = String(3_600_000);
const LATE = 'the collector did not take the last traces in time';
const WATCH = watchModules('@opentelemetry');
afterEach(() => Service.killAll());

describe('the export of traces', () => {
  let database: TestDatabase;
  let collector: Collector;
  beforeAll(async () => {
    database = await anyKind.create();
  });
  beforeEach(async () => {
    collector = await Collector.start();
  });
  afterEach(() => collector.close());

  const start = (env: Record<string, string> = {}) =>
    Service.start({ ...database.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });

  it('happens while the service runs, follows the variables of OpenTelemetry, and affects no request or stop if it fails', async () => {
    const service = await start({
      ...preload(WATCH),
      NODE_ENV: 'production',
      OTEL_SERVICE_NAME: 'shop-animals',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
    });
    const status = async (headers = {}) => (await service.call({ path: '/v1/pets', headers })).status;
    const traced = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    await service.untilLogged('sending traces');
    for (let request = 0; request < 10; request += 1) await status();
    await status({ 'x-request-id': 'unsampled', traceparent: traced.traceparent.replace(/1$/, '0') });
    await status({ 'x-request-id': 'sampled', ...traced });
    await until(() => collector.ofRequest('sampled'));
    // What the caller decides for its own trace holds; any other request is traced.
    expect(collector.ofRequest('unsampled')).toBeUndefined();
    expect(collector.spans.filter(({ traceId }) => traceId !== 'a'.repeat(32)).length).toBeGreaterThan(0);
    expect(collector.resource).toMatchObject({
      'service.name': 'shop-animals',
      'deployment.environment.name': 'staging',
    });
    expect(collector.headers.authorization).toBe('Bearer hunter2');
    expect(service.stdout).not.toContain('hunter2');
    // outgoing-connections.e2e-spec.ts expects that no such line is printed without an endpoint.
    expect(service.stderr).toMatch(/loaded \S+@opentelemetry/);

    collector.status = 400;
    expect(await status(traced)).toBe(401);
    await service.untilLogged('traces cannot be sent');
    // More than one batch, so that another batch is sent at once and fails.
    for (let round = 0; round < 30; round += 1) {
      const statuses = await atOnce(20, () => status(traced));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    collector.status = 200;
    await status(traced);
    await service.untilLogged('traces are sent again');
    const changes = service.log.filter(({ msg }) => /^traces .* sent/.test(String(msg)));
    expect(changes).toMatchObject([
      { level: 'warn', msg: 'traces cannot be sent' },
      { msg: 'traces are sent again' },
    ]);
    expect(service.stderr.replaceAll(/^loaded .*\n/gm, '')).toBe('');

    await collector.close();
    expect(await status(traced)).toBe(401);
    expect(await service.stop()).toBe(0);
    expect(service.log.map(({ msg }) => msg)).toEqual(expect.arrayContaining([LATE, 'stopped']));
    // By the log: after this line Node writes its cache of compiled modules, which a busy disk delays.
    const atMs = (msg: string) => Date.parse(String(service.logged(msg)[0]?.time));
    expect(atMs('stopped') - atMs('draining')).toBeLessThan(8_000);
  });

  it('ends at a stop although the collector takes the last traces and does not answer', async () => {
    // OpenTelemetry itself waits for longer than a test may take.
    const waits = { OTEL_EXPORTER_OTLP_TIMEOUT: HOUR_MS, OTEL_BSP_EXPORT_TIMEOUT: HOUR_MS };
    const service = await start(waits);
    collector.status = undefined;
    expect((await service.call({ path: '/v1/pets' })).status).toBe(401);
    expect(await service.stop()).toBe(0);
    expect(service.log.slice(-2)).toMatchObject([{ level: 'warn', msg: LATE }, { msg: 'stopped' }]);
  });

  withServers('includes the queries of a rate limit decision, and marks an error and its step', async () => {
    const redis = await shared!.create();
    const proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    const service = await start({ ...redis.env, DATABASE_URL: proxy.url });
    const key = await service.issueKey();
    const list = (requestId: string) =>
      service.call({ path: '/v1/pets', key, headers: { 'x-request-id': requestId } });
    expect((await list('decided')).status).toBe(200);
    proxy.cut();
    // The key may still be cached, so that either its look-up or the list fails.
    expect((await list('failed')).status).toBe(503);
    expect(await service.stop()).toBe(0);

    const decision = collector.ofRequest('decided')!.children.find(({ name }) => name === 'decide limits')!;
    // The day starts from recorded usage, which is a separate statement.
    const within = collector.spans.filter(({ parentSpanId }) => parentSpanId === decision.spanId);
    expect(within.map(({ name }) => name)).toEqual(['usage-since']);
    const { own, children } = collector.ofRequest('failed')!;
    const failed = { failed: true, attributes: { 'error.type': 'service_unavailable' } };
    expect(own).toMatchObject(failed);
    expect(children.filter((step) => step.failed)).toEqual([expect.objectContaining({ kind: 'client' })]);
  });
});
