import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/time.js';
import { Addresses } from './addresses.js';
import { BlockedAddressError, checkedLookup } from './lookup.js';
import type { AttemptError, Outcome } from './outcome.js';
import { retryAfterMsOf } from './retry.js';

/** What is read of an answer, whose status alone counts. */
const MAX_BODY_BYTES = 65_536;
const MAX_BODY_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/** Answers such as 103 before the answer. */
const MAX_INTERIM_ANSWERS = 8;
/** Until the next address of a name is tried. */
const ADDRESS_MS = 1_000;

/** A message to an endpoint. */
export interface Message {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Sends a message once. It connects to addresses that webhooks may reach only, follows no redirect, and keeps no connection. */
@Injectable()
export class Sender {
  constructor(
    private readonly addresses: Addresses,
    private readonly clock: Clock,
  ) {}

  /** Resolves within this time, whatever the endpoint does; never rejects. */
  send({ url, headers, body }: Message, withinMs: number): Promise<Outcome> {
    const target = new URL(url);
    const { hostname } = urlToHttpOptions(target);
    const isAddress = isIP(hostname ?? '') !== 0;
    // Node connects to an address without a look-up.
    if (isAddress && !this.addresses.mayReach(hostname ?? ''))
      return Promise.resolve({ status: null, error: 'blocked_address', durationMs: 0 });
    const isSecure = target.protocol === 'https:';
    const startedAtMs = this.clock.monotonicMs();
    const { lookup, cancel } = checkedLookup(this.addresses);
    /** What it is called when it fails now. */
    let phase: AttemptError = isAddress ? 'connect' : 'dns';
    /** An answer whose body is still read. */
    let answer: Pick<Outcome, 'status' | 'retryAfterMs'> | undefined;

    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const end = (error: AttemptError) => {
      clearTimeout(timer);
      cancel();
      request.destroy();
      const durationMs = Math.round(this.clock.monotonicMs() - startedAtMs);
      resolve(answer ? { ...answer, error: null, durationMs } : { status: null, error, durationMs });
    };
    const timer = setTimeout(() => end('timeout'), withinMs);
    const options: https.RequestOptions = {
      ...{ method: 'POST', agent: false, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      ...{ lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ADDRESS_MS },
      maxHeaderSize: MAX_HEADER_BYTES,
    };
    const request = (isSecure ? https : http).request(target, options);
    request.on('socket', (socket) => {
      socket.once('lookup', (error: Error | null) => {
        if (!error) phase = 'connect';
      });
      socket.once('connect', () => (phase = isSecure ? 'tls' : 'bad_response'));
      socket.once('secureConnect', () => (phase = 'bad_response'));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_ANSWERS) end('bad_response');
    });
    request.on('upgrade', () => end('bad_response'));
    request.on('error', (error) => end(error instanceof BlockedAddressError ? 'blocked_address' : phase));
    // It follows every other event.
    request.on('close', () => end('bad_response'));
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (status < 100) {
        end('bad_response');
        return;
      }
      answer = { status, ...retryAfter(response.headers['retry-after'], this.clock.nowMs()) };
      const reading = setTimeout(() => end('timeout'), MAX_BODY_MS);
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) end('bad_response');
      });
      response.on('error', () => end('bad_response'));
      response.on('close', () => {
        clearTimeout(reading);
        end('bad_response');
      });
    });
    request.end(body);
    return promise;
  }
}

function retryAfter(header: string | undefined, nowMs: number): { retryAfterMs?: number } {
  const retryAfterMs = header === undefined ? undefined : retryAfterMsOf(header, nowMs);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}
