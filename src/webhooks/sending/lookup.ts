import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Addresses } from './addresses.js';

/** A name that does not answer delays an attempt by a few seconds, not by all of its time. */
const RESOLVER = { timeout: 2_000, tries: 2, maxTimeout: 2_000 };
/** A name may have many addresses, and each costs a connection. */
const MAX_ADDRESSES = 8;

/** Every address of the name is one that webhooks may not reach. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/**
 * A look-up of `net.connect` for one attempt. It connects to exactly the addresses that were checked, so a name that changes in between gains
 * nothing. c-ares asks the DNS itself: `getaddrinfo` would hold one of the few threads that files need too. `cancel` ends it.
 */
export function checkedLookup(addresses: Addresses): { lookup: LookupFunction; cancel: () => void } {
  const resolver = new Resolver(RESOLVER);
  const lookup: LookupFunction = (hostname, _options, callback) => {
    void resolve(resolver, hostname)
      .then((found) => {
        const reachable = found.filter(({ address }) => addresses.mayReach(address)).slice(0, MAX_ADDRESSES);
        if (reachable.length === 0) throw new BlockedAddressError();
        callback(null, reachable);
      })
      .catch((error: unknown) => callback(error as NodeJS.ErrnoException, []));
  };
  return { lookup, cancel: () => resolver.cancel() };
}

/** @throws Error where the name has no address at all */
async function resolve(resolver: Resolver, hostname: string): Promise<{ address: string; family: 4 | 6 }[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
  if (found.length === 0) throw v4.status === 'rejected' ? (v4.reason as Error) : new Error('no address');
  return found;
}
