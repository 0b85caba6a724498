import { isIP } from 'node:net';

/** Names that no page of the internet can have: of this machine, without a dot, or of a domain that is kept for private networks. */
const PRIVATE_NAME = /^(?:[^.]+|.+\.(?:localhost|local|internal|svc|cluster\.local|home\.arpa|lan))$/;

/**
 * Whether the `Host` of a request is a name under which the metrics are not served. A page whose name is made to lead to this machine (DNS
 * rebinding) carries its own name there. Scrapers use addresses, names of containers, or the name in `METRICS_HOST`.
 */
export function isForeignHost(header: string | undefined, metricsHost: string): boolean {
  // HTTP/1.0, which no browser speaks.
  if (header === undefined) return false;
  const name = header.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const address = name.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 && name !== metricsHost.toLowerCase() && !PRIVATE_NAME.test(name);
}
