import { fileURLToPath } from 'node:url';
import type { Env } from './databases.js';

/** The folder of the built service. */
export const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** What a machine gives a process, without any setting of the service. */
export function bareEnvironment(): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
