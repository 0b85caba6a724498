import { SERVICE } from '../auth/actor.js';
import type { ApiKeysService } from '../auth/keys/api-keys.service.js';

/**
 * Prints the address of the service on stderr. Where there is no key yet, it issues a free one and prints it. The service prints a key nowhere
 * else, and never writes one to the log.
 */
export async function welcome(keys: ApiKeysService, url: string): Promise<void> {
  const { items } = await keys.list({}, 1, undefined);
  process.stderr.write(`
The animal store is at ${url}/v1, its documentation at ${url}/docs
${items.length > 0 ? LOST_KEY : await demoKey(keys, url)}
Sample animals, while this runs: npm run seed -- --pets 1000

`);
}

const LOST_KEY =
  'Another key, while this runs: npm run --silent keys -- create --name demo --plan free --access manage';

async function demoKey(keys: ApiKeysService, url: string): Promise<string> {
  const { secret } = await keys.create({ name: 'demo', plan: 'free', access: 'manage' }, SERVICE);
  return `This demo key (plan Free) is shown once:

  ${secret}

  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/pets
`;
}
