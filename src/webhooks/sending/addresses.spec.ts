import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../platform/config/config.js';
import { Addresses } from './addresses.js';

const addressesWith = (...allowedNetworks: string[]) =>
  new Addresses({ webhooks: { allowedNetworks } as unknown as Config['webhooks'] });

describe('a webhook may reach', () => {
  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '223.255.255.254',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:1.1.1.1',
  ])('%s', (address) => expect(addressesWith().mayReach(address)).toBe(true));
});

describe('a webhook may not reach', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '::7f00:1'],
    ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1', '100::1', '2001::1', '2001:db8::1'],
    ...['2002:7f00:1::1', '2002:a00:1::', '3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1'],
    ...['fe80::1%eth0', 'fec0::1', 'ff02::1', '4000::1', 'e000::1', '::ffff:0:127.0.0.1'],
    ...['', 'localhost', '1.1.1.1.', '1.1.1.1/32', '999.1.1.1'],
  ])('%s', (address) => expect(addressesWith().mayReach(address)).toBe(false));
});

describe('a network that the operator names', () => {
  const addresses = addressesWith('10.1.0.0/16', '127.0.0.1', 'fd00::/8', '::ffff:172.16.0.0/108');

  it.each(['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'fd12::1', '172.16.0.9', '1.1.1.1'])(
    'lets %s be reached',
    (address) => expect(addresses.mayReach(address)).toBe(true),
  );

  it.each(['10.2.0.1', '127.0.0.2', '::1', 'fe80::1', '192.168.0.1', '2002:a01:1::'])(
    'lets %s be blocked',
    (address) => expect(addresses.mayReach(address)).toBe(false),
  );
});
