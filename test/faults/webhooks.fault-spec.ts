import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { atCleanUp } from '../support/clean-up.js';
import { anyKind, databaseKinds } from '../support/databases.js';
import { DnsServer } from '../support/servers/dns.js';
import { Receiver } from '../support/servers/receiver.js';
import { ownService, Service } from '../support/service.js';
import { Store, storeOf } from '../support/store.js';
import { atOnce, until } from '../support/until.js';
import { WebhooksOf } from '../support/webhooks.js';

const SETTINGS = { SANDBOX: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' };

describe('webhooks while the replica that delivers is killed', () => {
  const WEBHOOKS = 5;
  const EVENTS = 100;
  const service = ownService(databaseKinds.at(-1)!, SETTINGS);
  const staff = storeOf(service, { access: 'manage' });

  it('miss nothing, and get at most one event again', async () => {
    const receivers = await atOnce(WEBHOOKS, () => Receiver.start());
    const own = new WebhooksOf(staff);
    for (const { url } of receivers) await own.create({ url, types: ['pet.created'] });
    for (const receiver of receivers)
      receiver.answer = (response) => setTimeout(() => response.writeHead(204).end(), 20);
    const names = Array.from({ length: EVENTS }, (_, index) => `P${index}`);
    for (const name of names) await staff.create(name, 1);
    await receivers[0]!.take(1);
    await service.stop('SIGKILL');
    const counts = receivers.map(({ received }) => received.length);
    expect(Math.min(...counts)).toBeLessThan(EVENTS);

    await Service.start(service.env);
    for (const receiver of receivers) {
      await until(() => receiver.names.includes(`P${EVENTS - 1}`));
      const repeated = receiver.names.filter((name, index) => receiver.names.indexOf(name) < index);
      expect(repeated.length).toBeLessThanOrEqual(1);
      expect([...new Set(receiver.names)]).toEqual(names);
    }
  });
});

describe('webhooks beside others that hang', () => {
  const HANGING_OF_KEY = 20;
  const EVENTS = 100;
  const service = ownService(anyKind, SETTINGS);
  const staff = storeOf(service, { access: 'manage' });
  const good = storeOf(service, { access: 'order' });

  it('get each event within 2 s, and a key that hangs holds 8 attempts', async () => {
    const hanging = await Receiver.start();
    const open = { now: 0, most: 0 };
    hanging.answer = (response) => {
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      response.on('close', () => (open.now -= 1));
    };
    for (const key of await atOnce(2, () => service.issueKey({ access: 'order' }))) {
      const theirs = new WebhooksOf(new Store(service.url, key));
      await atOnce(HANGING_OF_KEY, () => theirs.create({ url: hanging.url, types: ['pet.created'] }));
    }
    const receiver = await Receiver.start();
    await new WebhooksOf(good).create({ url: receiver.url, types: ['pet.created'] });
    await staff.create('First', 1);
    await until(() => open.now === 16);

    for (let index = 0; index < EVENTS; index++) {
      await staff.create(`P${index}`, 1);
      // The next event comes when this one has.
      await receiver.take(index + 2);
    }
    const delays = receiver.received
      .map(({ event, atMs }) => atMs - Date.parse(event.timestamp))
      .sort((a, b) => a - b);
    expect(delays[Math.floor(delays.length * 0.99) - 1]).toBeLessThan(2_000);
    expect(open.most).toBe(16);
  });
});

describe('hostile addresses', () => {
  const ADDRESSES = 500;
  const WEBHOOKS = 20;
  /** The only address that may be reached. */
  const HOME = '127.0.0.2';
  let dns: DnsServer;
  const service = ownService(anyKind, async () => {
    dns = await DnsServer.start();
    return { ...dns.env, SANDBOX: 'true', WEBHOOK_ALLOWED_NETWORKS: HOME };
  });
  const partner = storeOf(service, { access: 'order' });

  it('are never connected to, whatever a name changes to', async () => {
    let connections = 0;
    let atHome = 0;
    const canary = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await once(canary.listen(0, '127.0.0.1'), 'listening');
    const { port } = canary.address() as AddressInfo;
    const canary6 = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const hasIpv6 = await Promise.race([
      once(canary6.listen(port, '::1'), 'listening').then(() => true),
      once(canary6, 'error').then(() => false),
    ]);
    const home = createServer((_, response) => {
      atHome += 1;
      response.writeHead(204).end();
    });
    await once(home.listen(port, HOME), 'listening');
    for (const server of [canary, home, ...(hasIpv6 ? [canary6] : [])]) atCleanUp(() => server.close());

    const questions = new Map<string, number>();
    const hidden = [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '::ffff:127.0.0.1',
      '2002:7f00:1::1',
      '64:ff9b::7f00:1',
      'fe80::1',
      '0.0.0.0',
      '::',
    ];
    dns.addressesOf = (name) => {
      const count = (questions.get(name) ?? 0) + 1;
      questions.set(name, count);
      // Each look-up asks twice: A and AAAA.
      if (name.startsWith('rebind')) return [count % 4 < 2 ? HOME : '127.0.0.1'];
      if (name.startsWith('mixed')) return ['127.0.0.1', HOME, '::1'];
      return [hidden[Number(name.replaceAll(/\D/g, '')) % hidden.length]!];
    };
    const literals = [
      '127.0.0.1',
      '0x7f.1',
      '017700000001',
      '2130706433',
      '127.1',
      '0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[2002:7f00:1::1]',
      '[64:ff9b::127.0.0.1]',
      'localhost',
      '127.0.0.1.',
    ];
    const hosts = Array.from({ length: ADDRESSES }, (_, index) => {
      if (index < literals.length) return literals[index]!;
      return [`rebind-${index}.test`, `mixed-${index}.test`, `hidden-${index}.test`][index % 3]!;
    });
    const own = new WebhooksOf(partner);
    const errors: string[] = [];
    await atOnce(WEBHOOKS, async (first) => {
      const { id } = await own.create({ url: `http://${HOME}:${port}/` });
      for (let index = first; index < hosts.length; index += WEBHOOKS) {
        // A name that changes is asked again.
        for (let attempt = 0; attempt < (hosts[index]!.startsWith('rebind') ? 2 : 1); attempt++) {
          expect((await own.update(id, { url: `http://${hosts[index]}:${port}/` })).status).toBe(200);
          const { status, error } = (await own.test(id)).body as {
            status: bigint | null;
            error: string | null;
          };
          errors.push(error ?? String(status));
        }
      }
    });
    expect(connections).toBe(0);
    expect(errors.length).toBeGreaterThanOrEqual(ADDRESSES);
    expect([...new Set(errors)].sort()).toEqual(['204', 'blocked_address']);
    expect(errors.filter((error) => error === '204')).toHaveLength(atHome);
    // Those with the allowed address beside others, and each rebinding name once.
    expect(atHome).toBeGreaterThan(ADDRESSES / 2);
  });
});
