import { SERVICE } from './api-key.js';
import type { ApiKeysService } from './api-keys.service.js';

/**
 * Issues a free key and prints it, unless there is a key already: a newcomer needs one command only. This is the only place that prints
 * a key, on stderr for the operator and never in the log. `url`: the address of the service.
 */
export async function issueDemoKey(keys: ApiKeysService, url: string): Promise<void> {
  const { items } = await keys.list({}, 1, undefined);
  if (items.length > 0) return;
  const { key } = await keys.create({ name: 'demo', plan: 'free', access: 'manage' }, SERVICE);
  process.stderr.write(`
The animal store is at ${url}/v1, its documentation at ${url}/docs
This demo key (plan Free) is shown once:

  ${key}

  curl -H 'Authorization: Bearer ${key}' ${url}/v1/pets

Sample animals, while this runs: npm run seed -- --pets 1000

`);
}
