import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { call } from './support/client.js';
import { Collector } from './support/collector.js';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { redisKinds } from './support/redis.js';
import { Service } from './support/service.js';
import { TcpProxy } from './support/tcp-proxy.js';
import { until } from './support/until.js';

const postgresql = databaseKinds.find(({ name }) => name === 'postgresql');
const shared = redisKinds.find(({ name }) => name === 'in Redis');

afterEach(() => Service.killAll());

describe('sending traces', () => {
  let database: TestDatabase;
  let collector: Collector;
  beforeAll(async () => {
    database = await databaseKinds.at(-1)!.create();
  });
  beforeEach(async () => {
    collector = await Collector.start();
  });
  afterEach(() => collector.close());
  afterAll(() => database.drop());

  const start = (env: Record<string, string> = {}) =>
    Service.start({ ...database.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });

  it('needs no stop, and follows what OpenTelemetry’s own variables say', async () => {
    const service = await start({
      OTEL_SERVICE_NAME: 'shop-animals',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
    });
    await call(service.url, { path: '/v1/pets' });
    await until(() => collector.spans.length > 0);
    expect(collector.resource).toMatchObject({
      'service.name': 'shop-animals',
      'deployment.environment.name': 'staging',
    });
    expect(collector.headers.authorization).toBe('Bearer hunter2');
    expect(service.stdout).not.toContain('hunter2');
  });

  it('tells of the requests that the sampler takes', async () => {
    const service = await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    for (let request = 0; request < 10; request += 1) await call(service.url, { path: '/v1/pets' });
    expect(await service.stop()).toBe(0);
    expect(collector.spans).toEqual([]);
  });

  it('to a collector that is away hurts no request, and is told once, as is its end', async () => {
    collector.status = 400;
    const service = await start();
    const ask = async () => (await call(service.url, { path: '/v1/pets' })).status;
    const failures = () => service.log.filter(({ msg }) => msg === 'traces cannot be sent');
    await service.untilLogged('sending traces');
    expect(await ask()).toBe(401);
    await service.untilLogged('traces cannot be sent');
    // More than a batch, which is sent at once, and fails again.
    for (let request = 0; request < 600; request += 1) expect(await ask()).toBe(401);
    collector.status = 200;
    await ask();
    await service.untilLogged('traces are sent again');
    expect(failures()).toHaveLength(1);
    expect(failures()[0]).toMatchObject({ level: 'warn' });
    expect(service.stderr).toBe('');
  });

  it('to nobody does not keep the service from stopping in time', async () => {
    const { url } = collector;
    await collector.close();
    const service = await Service.start({ ...database.env, OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect((await call(service.url, { path: '/v1/pets' })).status).toBe(401);
    const startedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(service.log.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['the last traces were not taken in time', 'stopped']),
    );
    collector = await Collector.start();
  });

  (postgresql ? it : it.skip)('marks a fault of the service, and the step that it began with', async () => {
    const proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    const service = await start({ DATABASE_URL: proxy.url });
    const key = await service.issueKey();
    expect((await call(service.url, { path: '/v1/pets', key })).status).toBe(200);
    proxy.cut();
    // The key's last reading may be a moment ago or 5 s: with one or the other statement it fails.
    const headers = { 'x-request-id': 'failed' };
    expect((await call(service.url, { path: '/v1/pets', key, headers })).status).toBe(503);
    expect(await service.stop()).toBe(0);
    await proxy.close();
    const { own, children } = collector.ofRequest('failed')!;
    const failed = { failed: true, facts: { 'error.type': 'service_unavailable' } };
    expect(own).toMatchObject(failed);
    expect(children.filter((step) => step.failed)).toEqual([expect.objectContaining({ kind: 'client' })]);
  });

  (shared ? it : it.skip)('shows what a decision had to ask the database for', async () => {
    const redis = await shared!.create();
    const service = await start(redis.env);
    const key = await service.issueKey();
    await call(service.url, { path: '/v1/pets', key, headers: { 'x-request-id': 'seeded' } });
    expect(await service.stop()).toBe(0);
    const { children } = collector.ofRequest('seeded')!;
    const decision = children.find(({ name }) => name === 'decide limits')!;
    // The day starts from what usage has recorded, and that is a statement of its own.
    const within = collector.spans.filter(({ parentSpanId }) => parentSpanId === decision.spanId);
    expect(within.map(({ name }) => name)).toEqual(['admitted-usage']);
    await redis.drop();
  });
});

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  /** Runs before the service, in its own process: tells of every module of OpenTelemetry and every TCP connection. */
  const WATCH = `
    import { registerHooks } from 'node:module';
    import { Socket } from 'node:net';
    registerHooks({
      load(url, context, next) {
        if (url.includes('@opentelemetry')) process.stderr.write('loaded ' + url + '\\n');
        return next(url, context);
      },
    });
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      const [target] = args.flat();
      const path = typeof target === 'object' ? target.path : String(target);
      if (!path?.startsWith('/')) process.stderr.write('connected\\n');
      return connect.apply(this, args);
    };
  `;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(WATCH)}`;

  it('nothing of OpenTelemetry is loaded and nobody is called', async () => {
    const database = await databaseKinds[0]!.create();
    const collector = await Collector.start();
    const askOf = async (env: Record<string, string>) => {
      const service = await Service.start({ ...database.env, NODE_OPTIONS, ...env });
      expect((await call(service.url, { path: '/v1/pets' })).status).toBe(401);
      expect(await service.stop()).toBe(0);
      return service;
    };
    const off = await askOf({});
    expect(off.stderr).not.toMatch(/loaded|connected/);
    expect(off.log.find(({ msg }) => msg === 'sending traces')).toBeUndefined();
    const on = await askOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(on.stderr).toMatch(/loaded \S+@opentelemetry/);
    expect(on.stderr).toMatch(/connected/);
    await collector.close();
    await database.drop();
  });
});
