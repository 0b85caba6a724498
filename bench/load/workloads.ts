import { encodeCursor } from '../../src/common/paging/cursor.js';
import { cursorScope } from '../../src/pets/cursor-scope.js';
import { PET_STATUSES } from '../../src/pets/pet.js';
import { bearer, get, post } from './calls.js';
import type { Call } from './connection.js';
import { PETS, type Secrets } from './shop-data.js';
import type { SystemName } from './systems.js';

export const ROUTES = ['list', 'get', 'create'] as const;
/** What only a service with keys and limits refuses. */
export const REFUSALS = ['401 bad checksum', '401 unknown key', '429 exhausted key'] as const;

export type Route = (typeof ROUTES)[number] | (typeof REFUSALS)[number];

/** Every key and, with it, another place in the catalogue: primes, so that the pairs do not soon come again. */
const CALLS = 2_003;
const STRIDE = 7_919;
const LIMIT = 20;
/** Behind it, pages of the rarest status are still full. */
const LAST_CURSOR = PETS * 0.9;

/** What the generator asks of a system, in rotation. */
export function callsOf(route: Route, system: SystemName, secrets: Secrets): Call[] {
  return Array.from({ length: CALLS }, (_, index) => {
    const place = (index * STRIDE) % LAST_CURSOR;
    const key = (keys: string[]) => bearer(keys[index % keys.length]!);
    const petPath = `/v1/pets/${place + 1}`;
    switch (route) {
      case 'list':
        return get(listPath(system, index, place), key(secrets.unlimited), 200);
      case 'get':
        return get(petPath, key(secrets.unlimited), 200);
      case 'create':
        return post('/v1/pets', key(secrets.unlimited), { name: `Pet ${index}`, categoryId: place % 100 });
      case '401 bad checksum':
        return get(petPath, key(secrets.unknown.map((secret) => `${secret.slice(0, -1)}-`)), 401);
      case '401 unknown key':
        return get(petPath, key(secrets.unknown), 401);
      case '429 exhausted key':
        return get(petPath, key(secrets.exhausted), 429);
    }
  });
}

function listPath(system: SystemName, index: number, afterId: number): string {
  const status = PET_STATUSES[index % PET_STATUSES.length]!;
  // The peers have no opaque cursors: they take the id as it is.
  const isPeer = system === 'floor' || system === 'usual';
  const from = isPeer
    ? `after=${afterId}`
    : `cursor=${encodeCursor(cursorScope({ status }), BigInt(afterId))}`;
  return `/v1/pets?status=${status}&limit=${LIMIT}&${from}`;
}
