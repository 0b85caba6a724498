import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../support/http/client.js';
import { databaseKinds, type TestDatabase } from '../support/databases.js';
import { freePort } from '../support/servers/free-port.js';
import { cleanUp, Service } from '../support/service.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-start-'));
});
afterEach(() => Service.killAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the environment', () => {
  it('is refused with all its mistakes before the service opens anything', async () => {
    const inUse = createServer();
    await once(inUse.listen(0, '127.0.0.1'), 'listening');
    const dataDir = join(folder, 'never-made');
    const service = new Service({
      // An attempt to listen would cause another error.
      PORT: String((inUse.address() as AddressInfo).port),
      DATA_DIR: dataDir,
      DATABASE_POOL_SIZE: '0',
      SHUTDOWN_DELAY_MS: '-1',
      LOG_LEVEL: 'loud',
      ENFORCE_SUNSET: 'perhaps',
      TRUST_PROXY: 'everyone',
      REDIS_URL: 'http://operator:hunter2@127.0.0.1/0',
      PUBLIC_BASE_URL: 'https://store.example.com/v2',
      CORS_ORIGINS: '*',
      ANONYMOUS_PER_MINUTE: '0',
      METRICS_PORT: '65536',
      HOST_FILE: join(folder, 'no-such-file'),
    });
    expect(await service.ended()).toBe(1);
    inUse.close();
    const lines = service.stderr.split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => /^[A-Z_]+/.exec(line)?.[0]).sort()).toEqual([
      'ANONYMOUS_PER_MINUTE',
      'CORS_ORIGINS',
      'DATABASE_POOL_SIZE',
      'ENFORCE_SUNSET',
      'HOST_FILE',
      'LOG_LEVEL',
      'METRICS_PORT',
      'PUBLIC_BASE_URL',
      'REDIS_URL',
      'SHUTDOWN_DELAY_MS',
      'TRUST_PROXY',
    ]);
    expect(service.stderr).not.toContain('hunter2');
    expect(service.stdout).toBe('');
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe.each(databaseKinds)('a port in use on $name', (kind) => {
  afterEach(cleanUp);

  it('ends the start with one line, and the next start reads its settings from files', async () => {
    const database = await kind.create();
    const port = await freePort();
    const other = createServer();
    await once(other.listen(port, '127.0.0.1'), 'listening');
    const service = new Service({ ...database.env, PORT: String(port) });
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(/^[^\n]+\n$/);
    expect(service.stderr).toContain(String(port));
    // The data directory is not locked either: the next service starts.
    other.close();
    await once(other, 'close');
    const files = Object.entries({ ...database.env, HOST: 'localhost' }).map(([variable, value]) => [
      `${variable}_FILE`,
      fileWith(`${kind.name}-${variable}`, `${value}\n`),
    ]);
    const next = new Service({
      ...(Object.fromEntries(files) as Record<string, string>),
      PORT: String(port),
    });
    expect(await next.untilLogged('ready')).toMatchObject({ database: kind.name });
    expect(await next.stop()).toBe(0);
  });
});

describe.each(databaseKinds)('a service killed on $name', (kind) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await kind.createUnmigrated();
  });
  afterEach(cleanUp);

  it('during its first start can start again', async () => {
    for (const message of ['listening', 'migrated the database']) {
      const service = new Service(database.env);
      // The start before this one may have finished the migration.
      await Promise.race([service.untilLogged(message), service.untilLogged('ready')]);
      await service.stop('SIGKILL');
    }
    const next = await Service.start(database.env);
    const key = await next.issueKey();
    const body = { name: 'afterwards', categoryId: 1 };
    expect((await call(next.url, { method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
    expect(await next.stop()).toBe(0);
  });
});
