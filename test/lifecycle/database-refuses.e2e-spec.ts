import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/clean-up.js';
import { describeOnServer, onDatabase, type TestDatabase } from '../support/databases.js';
import { ownService, Service } from '../support/service.js';
import { until } from '../support/until.js';

const READY = { path: '/health/ready' };

/** Expects what holds while no connection can be opened, and that the service recovers once it can be. */
async function expectOutage(
  service: ReturnType<typeof ownService>,
  begin: () => unknown,
  end: () => unknown,
): Promise<void> {
  const key = await service.issueKey();
  await begin();
  try {
    await until(async () => (await service.call(READY)).status === 503);
    for (const call of [{ path: '/v1/pets', key }, READY]) {
      const answer = await service.call(call);
      expect(answer.body).toMatchObject({ code: 'service_unavailable', status: 503n });
      expect(answer.headers['retry-after']).toBeDefined();
    }
  } finally {
    await end();
  }
  await until(async () => (await service.call(READY)).status === 200);
  expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
}

describeOnServer('a service whose database lets nobody in', (kind) => {
  const role = `animal_store_${randomBytes(4).toString('hex')}`;
  const service = ownService(kind, async (env) => {
    await onDatabase(
      { env },
      `create role ${role} login; grant all on all tables in schema public to ${role}`,
    );
    const name = new URL(env.DATABASE_URL!).pathname.slice(1);
    await onDatabase(
      { env },
      `revoke connect on database ${name} from public; grant connect on database ${name} to ${role}`,
    );
    return {
      DATABASE_URL: Object.assign(new URL(env.DATABASE_URL!), { username: role }).href,
      DATABASE_MIGRATION_URL: env.DATABASE_URL!,
    };
  });
  afterAll(async () => {
    await Service.killAll();
    await onDatabase(service.database, `drop owned by ${role} cascade; drop role ${role}`);
  });

  const nameOf = ({ env }: TestDatabase) => new URL(env.DATABASE_URL!).pathname.slice(1);
  const onServer = (statement: string) => {
    const url = Object.assign(new URL(service.database.env.DATABASE_URL!), { pathname: '/template1' });
    return onDatabase({ env: { DATABASE_URL: url.href } }, statement);
  };
  const closeAll = (name: string) =>
    onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);

  it.each([
    [
      'CONNECT is revoked',
      (name: string) => `revoke connect on database ${name} from ${role}`,
      (name: string) => `grant connect on database ${name} to ${role}`,
    ],
    [
      'connections are off',
      (name: string) => `alter database ${name} allow_connections false`,
      (name: string) => `alter database ${name} allow_connections true`,
    ],
    ['the role may not log in', () => `alter role ${role} nologin`, () => `alter role ${role} login`],
  ])('answers 503 while %s, and recovers by itself', async (_what, refuse, admit) => {
    const name = nameOf(service.database);
    await expectOutage(
      service,
      async () => {
        await onServer(refuse(name));
        await closeAll(name);
      },
      () => onServer(admit(name)),
    );
  });
});

/** The first message of a client that wants TLS (PostgreSQL's protocol, SSLRequest). */
const SSL_REQUEST_BYTES = 8;

/** Speaks TLS in front of a PostgreSQL server without it, with a certificate that can be exchanged. */
class TlsDoor {
  certificate: { key: Buffer; cert: Buffer } | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(private readonly target: URL) {
    this.server = createServer((socket) => {
      this.sockets.add(socket.on('error', () => undefined));
      void once(socket, 'data').then(([request]) => {
        expect(request).toHaveLength(SSL_REQUEST_BYTES);
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, ...this.certificate });
        const backend = connect(Number(this.target.port || 5432), this.target.hostname);
        for (const [from, to] of [
          [secure, backend],
          [backend, secure],
        ] as const)
          from.on('error', () => to.destroy()).pipe(to);
      });
    });
  }

  async listen(): Promise<number> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Shows another certificate from now on, and cuts the connections that saw the last one. */
  show(certificate: TlsDoor['certificate']): void {
    this.certificate = certificate;
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  close(): void {
    this.show(undefined);
    this.server.close();
  }
}

describe('a service whose database shows another certificate', () => {
  const folder = temporaryFolder();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const filesOf = (name: string) => ({
    key: readFileSync(join(folder, `${name}.key`)),
    cert: readFileSync(join(folder, `${name}.crt`)),
  });
  const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=127.0.0.1'.split(' ');
  const NAMED = ['-addext', 'subjectAltName=IP:127.0.0.1'];

  function selfSigned(name: string) {
    openssl('req', '-x509', ...KEY, ...NAMED, '-keyout', `${name}.key`, '-out', `${name}.crt`);
    return filesOf(name);
  }

  function expired(name: string) {
    openssl('req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-signkey',
      `${name}.key`,
      '-days',
      '-1',
      '-out',
      `${name}.crt`,
    );
    return filesOf(name);
  }

  describeOnServer('over TLS', (kind) => {
    const trusted = selfSigned('trusted');
    const others = { 'self-signed': selfSigned('foreign'), expired: expired('expired') };
    const roots = join(folder, 'roots.crt');
    writeFileSync(roots, Buffer.concat([trusted.cert, others.expired.cert]));
    let door: TlsDoor;
    const service = ownService(kind, async (env) => {
      const url = new URL(env.DATABASE_URL!);
      door = new TlsDoor(new URL(url));
      door.show(trusted);
      url.port = String(await door.listen());
      url.searchParams.set('sslmode', 'verify-full');
      url.searchParams.set('sslrootcert', roots);
      return { DATABASE_URL: url.href, DATABASE_MIGRATION_URL: env.DATABASE_URL! };
    });
    beforeAll(() => expect(service.stdout).toContain('ready'));
    afterAll(() => door.close());

    it.each(Object.entries(others))(
      'answers 503 while it is %s, and recovers by itself',
      async (_what, other) => {
        await expectOutage(
          service,
          () => {
            door.show(other);
          },
          () => {
            door.show(trusted);
          },
        );
      },
    );
  });
});
