import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../support/clean-up.js';
import { databaseKinds } from '../support/databases.js';
import { preload } from '../support/preload.js';
import { freePort } from '../support/servers/free-port.js';
import { Service } from '../support/service.js';

// load-config.spec.ts has the other mistakes.
describe('the environment', () => {
  it('is refused with all its mistakes before the service opens anything', async () => {
    const inUse = createServer();
    await once(inUse.listen(0, '127.0.0.1'), 'listening');
    const folder = temporaryFolder();
    const dataDir = join(folder, 'never-made');
    const service = new Service({
      // An attempt to listen would cause another error.
      PORT: String((inUse.address() as AddressInfo).port),
      DATA_DIR: dataDir,
      DATABASE_POOL_SIZE: '0',
      DATABASE_URL: 'postgres://operator:hunter2@a,b/animals?sslrootcert=/no/such.crt',
      REDIS_URL: 'redis://operator:hunter2@127.0.0.1/0?connectTimeout=5000',
      METRICS_HOST: 'no-such-host.invalid',
      METRICS_PORT: '0',
      HOST_FILE: join(folder, 'no-such-file'),
    });
    expect(await service.ended()).toBe(1);
    inUse.close();
    expect(service.stderr).toMatch(
      /^HOST_FILE.*\nDATABASE_URL.*several hosts.*ENOENT.*\nDATABASE_POOL_SIZE.*\nREDIS_URL.*\nMETRICS_HOST.*\n$/,
    );
    expect(service.stderr).not.toContain('hunter2');
    expect(service.stdout).toBe('');
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe.each(databaseKinds)('a start on $name', (kind) => {
  // The kinds of an interrupted start share a new database, which the last start completes.
  it('can be repeated after a port in use, a signal or a kill, and reads its settings from files', async () => {
    const { env } = await kind.createUnmigrated();
    const port = await freePort();
    const other = createServer();
    await once(other.listen(port, '127.0.0.1'), 'listening');
    const inUse = new Service({ ...env, PORT: String(port) });
    expect(await inUse.ended()).toBe(1);
    expect(inUse.stderr).toBe(`PORT: ${port} is in use; for another one: PORT=${port + 1} npm start\n`);
    other.close();
    await once(other, 'close');

    // Sent when the HTTP server is made, before its listeners are in place.
    const signalled = preload(`
      import http from 'node:http';
      import { syncBuiltinESMExports } from 'node:module';
      const { createServer } = http;
      http.createServer = (...args) => {
        process.kill(process.pid, 'SIGTERM');
        return createServer(...args);
      };
      syncBuiltinESMExports();
    `);
    // A start that has issued a demo key prints it on stderr, and the signal may come then.
    const loading = new Service({ ...env, ...signalled, NODE_ENV: 'production' });
    expect(await loading.ended()).toBe(0);
    expect(loading.stderr).toBe('');
    const killed = new Service(env);
    await killed.untilLogged('listening');
    await killed.stop('SIGKILL');
    const folder = temporaryFolder();
    const files = Object.entries({ ...env, HOST: 'localhost' }).map(([variable, value]) => {
      const path = join(folder, variable);
      writeFileSync(path, `${value}\n`);
      return [`${variable}_FILE`, path];
    });
    const next = new Service({
      ...(Object.fromEntries(files) as Record<string, string>),
      PORT: String(port),
    });
    expect(await next.untilLogged('ready')).toMatchObject({ database: kind.name });
    // The test's own sessions use the database directly.
    next.env = env;
    const key = await next.issueKey();
    const body = { name: 'afterwards', categoryId: 1 };
    expect((await next.call({ method: 'POST', path: '/v1/pets', key, body })).status).toBe(201);
    expect(await next.stop()).toBe(0);
  });
});
