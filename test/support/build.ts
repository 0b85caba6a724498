import { fileURLToPath } from 'node:url';
import type { Env } from './databases.js';

/** The folder of the built service. */
export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** The environment of a process without any setting of the service. */
export function bareEnvironment(): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

/** 32 bytes in base64. */
const WEBHOOK_SECRETS_KEY = 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';

/**
 * The environment of a service under test: any free port, no shutdown delay, no limit for addresses and encrypted secrets, unless `env` sets
 * them.
 */
export function serviceEnvironment(env: Env): Env {
  const limits = { SHUTDOWN_DELAY_MS: '0', ANONYMOUS_PER_MINUTE: '1000000' };
  const defaults = { PORT: '0', ...limits, WEBHOOK_SECRETS_KEY };
  return { ...bareEnvironment(), ...defaults, ...env };
}
