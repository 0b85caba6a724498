import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';

/**
 * The address that requests without a valid key are counted against: IPv6 per /64, IPv4-mapped addresses as IPv4. When a
 * proxy forwards something that is not an address, the proxy's own address counts.
 */
export function clientAddressOf(request: FastifyRequest): string {
  return normalizeIp(isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip);
}
