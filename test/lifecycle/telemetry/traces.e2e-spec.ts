import { beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/secrets/api-key-format.js';
import { leaveUnanswered, type Call } from '../../support/http/client.js';
import { Collector, type Span } from '../../support/servers/collector.js';
import { anyKind } from '../../support/databases.js';
import { Service } from '../../support/service.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const names = (spans: Span[]) => spans.map(({ name }) => name);

describe('traces', () => {
  let collector: Collector;
  let id: string;
  let key: string;
  /** The spans of each request, by its X-Request-Id. */
  const of = (requestId: string) => collector.ofRequest(requestId)!;

  // All requests first, because the stop sends the remaining spans.
  beforeAll(async () => {
    const database = await anyKind.create();
    collector = await Collector.start();
    const service = await Service.start({ ...database.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    ({ id, key } = await service.issue());
    const send = (requestId: string, { headers, ...options }: Call) =>
      service.call({ ...options, headers: { 'x-request-id': requestId, ...headers } });
    const pets = '/v1/pets';
    const parent = (traceId: string, flags: string) => ({
      traceparent: `00-${traceId}-${PARENT_ID}-${flags}`,
    });

    await send('list', { path: `${pets}?limit=1`, key });
    await send('missing', { path: `${pets}/9`, key });
    const body = { name: 'Rex', categoryId: 1 };
    await send('post', { method: 'POST', path: pets, key, body, headers: { 'idempotency-key': 'a' } });

    await send('broken', { method: 'POST', path: pets, key: generateApiKey(), body: '{' });
    await send('nowhere', { path: '/v1/secret-place', key });
    await send('wrong-method', { method: 'PURGE', path: pets, key });
    await send('anonymous', { path: pets });
    await leaveUnanswered(service.url, { path: pets, key, headers: { 'x-request-id': 'left' } });
    for (const path of ['/health/live', '/health/ready', '/openapi.json']) await send('open', { path });

    await send('child', { path: pets, key, headers: parent(TRACE_ID, '01') });
    await send('unreadable', { path: pets, key, headers: parent('0'.repeat(32), '01') });
    await send('unsampled', { path: pets, key, headers: parent(TRACE_ID, '00') });

    const headers = {
      ...parent(TRACE_ID, '01'),
      tracestate: `store=${key}`,
      baggage: `key=${key}`,
      'user-agent': key,
      'idempotency-key': key,
    };
    await send(key, { path: `${pets}?cursor=${key}`, key, headers });
    await send(key, { path: `${pets}/${key}`, key, headers });
    await send(key, { path: `/v1/${key}`, headers });
    await send(key, { method: 'POST', path: pets, key, headers, body: { name: key, categoryId: 1 } });

    expect(await service.stop()).toBe(0);
    expect(service.stdout).not.toContain('traces cannot be sent');
  });

  it('include the route, status, caller and steps of a request', () => {
    const { own, children } = of('list');
    expect(own).toMatchObject({ name: 'GET /v1/pets', kind: 'server', failed: false });
    expect(own.parentSpanId).toBeUndefined();
    expect(own.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/pets',
      'http.response.status_code': 200,
      'animal_store.request_id': 'list',
      'animal_store.key_id': id,
    });
    expect(names(children)).toEqual(['find-caller', 'decide limits', 'list-pets']);
    const [caller, decision, statement] = children;
    expect(caller).toMatchObject({ kind: 'client' });
    expect(decision).toMatchObject({
      kind: 'internal',
      attributes: { 'animal_store.limit_outcome': 'admitted' },
    });
    expect(statement).toMatchObject({
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql', 'db.query.summary': 'list-pets' },
    });
    for (const step of children) {
      expect(step.traceId).toBe(own.traceId);
      expect(step.durationMs).toBeGreaterThan(0);
      expect(step.durationMs).toBeLessThanOrEqual(own.durationMs);
    }
  });

  it('do not mark a client error as failed', () => {
    const { own, children } = of('missing');
    expect(own).toMatchObject({ name: 'GET /v1/pets/:petId', failed: false });
    expect(own.attributes).toMatchObject({
      'http.response.status_code': 404,
      'animal_store.error_code': 'pet_not_found',
    });
    expect(own.traceId).not.toBe(of('list').own.traceId);
    expect(names(children)).toEqual(expect.arrayContaining(['decide limits', 'show-pet']));
  });

  it('include a request whose caller leaves before the response', () => {
    expect(of('left').own).toMatchObject({
      name: 'POST /v1/pets',
      failed: false,
      attributes: { 'http.response.status_code': 499, 'animal_store.key_id': id },
    });
  });

  it('include every step of a transaction', () => {
    const steps = names(of('post').children);
    expect(steps.slice(steps.indexOf('decide limits'))).toEqual([
      'decide limits',
      // A stored response is replayed without a transaction.
      'connect',
      'SELECT idempotency_keys',
      'connect',
      'START TRANSACTION',
      'lock-idempotency-key',
      'SELECT idempotency_keys',
      'insert-pet',
      'INSERT idempotency_keys',
      'COMMIT',
    ]);
  });

  it('include requests without an operation, without their path', () => {
    expect(of('broken').own).toMatchObject({
      name: 'POST /v1/pets',
      attributes: { 'http.response.status_code': 401, 'animal_store.error_code': 'invalid_api_key' },
    });
    expect(names(of('broken').children)).toEqual(['find-caller', 'decide limits']);
    const nowhere = of('nowhere').own;
    expect(nowhere).toMatchObject({ name: 'GET', attributes: { 'http.response.status_code': 404 } });
    expect(nowhere.attributes).not.toHaveProperty(['http.route']);
    expect(names(of('nowhere').children)).toContain('decide limits');
    expect(of('wrong-method').own).toMatchObject({
      name: 'other',
      attributes: { 'http.response.status_code': 405 },
    });
    expect(of('anonymous').own.attributes).not.toHaveProperty(['animal_store.key_id']);
    expect(collector.received).not.toMatch(/secret-place|127\.0\.0\.1/);
  });

  it('include no probes, pages or periodic tasks', () => {
    expect(collector.ofRequest('open')).toBeUndefined();
    const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(new Set(roots.map(({ kind: root }) => root))).toEqual(new Set(['server']));
  });

  it('continue a valid trace of the caller', () => {
    const { own, children } = of('child');
    expect(own).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID });
    expect(children.length).toBeGreaterThan(0);
    for (const step of children) expect(step.traceId).toBe(TRACE_ID);
    expect(of('unreadable').own.parentSpanId).toBeUndefined();
  });

  it('are not sent for a request that its caller does not sample', () => {
    expect(collector.ofRequest('unsampled')).toBeUndefined();
  });

  it('include no key from any part of a request', () => {
    expect(
      collector.spans.filter(({ attributes }) => attributes['animal_store.request_id'] === 'ask_…'),
    ).toHaveLength(4);
    expect(collector.received).not.toContain(key.slice(4));
  });
});
