import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { CONFIG, type Config } from '../../platform/config/config.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, bits: number];

/** All public IPv6 addresses. What has another range within it, such as 6to4, leads elsewhere. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Which addresses webhooks may reach: public unicast ones, and those that WEBHOOK_ALLOWED_NETWORKS names. */
@Injectable()
export class Addresses {
  private readonly allowed: Network[];

  constructor(@Inject(CONFIG) { webhooks }: Pick<Config, 'webhooks'>) {
    this.allowed = webhooks.allowedNetworks.map(networkOf);
  }

  /** `text`: an address in any form that the system would connect to. IPv4-mapped addresses count as IPv4. */
  mayReach(text: string): boolean {
    if (text.includes('%') || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return isPublic(address) || this.allowed.some((network) => isWithin(address, network));
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isWithin(address, PUBLIC_IPV6);
}

const isWithin = (address: Address, network: Network) =>
  address.kind() === network[0].kind() && address.match(network);

function networkOf(text: string): Network {
  const [address = '', bits] = text.split('/');
  const parsed = ipaddr.process(address);
  const all = parsed.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [parsed, all];
  // The last 32 bits of an IPv4-mapped address are the IPv4 one.
  const mapped = ipaddr.parse(address).kind() === parsed.kind() ? 0 : 96;
  return [parsed, Math.max(Number(bits) - mapped, 0)];
}
