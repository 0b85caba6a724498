import { encodeCursor } from '../../src/platform/common/paging.js';
import { cursorScope } from '../../src/pets/pets.service.js';
import type { PetFilter } from '../../src/pets/list-pets.statement.js';
import { PET_STATUSES } from '../../src/pets/pet-status.js';
import { bearer, get, post } from './generator/calls.js';
import type { Call } from './generator/connection.js';
import { CATEGORIES, PETS, type Secrets } from './shop-data.js';
import type { SystemName } from './systems.js';

export const ROUTES = ['list', 'get', 'create'] as const;
/** Mixed requests: any status, size, depth and filter, with fetches and creates. */
export const MIXED = ['unshared list', 'mix'] as const;
/** Refusals that only a service with keys and limits has. */
export const REFUSALS = ['401 bad checksum', '401 unknown key', '429 exhausted key'] as const;

export type Route = (typeof ROUTES)[number] | (typeof MIXED)[number] | (typeof REFUSALS)[number];

/** Steps through keys and positions in the catalogue. Primes, so that pairs repeat late. */
const CALLS = 2_003;
const STRIDE = 7_919;
const LIMIT = 20;
const LIMITS = [10, 20, 50];
const DEPTHS = 60;
/** Pages of the rarest status after this id are still full. */
const LAST_CURSOR = PETS * 0.9;

/** The calls of a load, which the generator sends in rotation. */
export function callsOf(route: Route, system: SystemName, secrets: Secrets): Call[] {
  return Array.from({ length: CALLS }, (_, index) => {
    const place = (index * STRIDE) % LAST_CURSOR;
    const key = (keys: string[]) => bearer(keys[index % keys.length]!);
    const petPath = `/v1/pets/${place + 1}`;
    const create = post('/v1/pets', key(secrets.unlimited), {
      name: `Pet ${index}`,
      categoryId: place % CATEGORIES,
    });
    const list = (filter: PetFilter, limit: number, afterId: number) =>
      get(listPath(system, filter, limit, afterId), key(secrets.unlimited), 200);
    switch (route) {
      case 'list':
        return list({ status: statusOf(index) }, LIMIT, place);
      case 'unshared list':
        return list({ status: statusOf(index) }, limitOf(index), depthOf(index));
      case 'mix':
        if (index % 10 === 9) return create;
        if (index % 10 >= 6) return get(petPath, key(secrets.unlimited), 200);
        return list(filterOf(index), limitOf(index), depthOf(index));
      case 'get':
        return get(petPath, key(secrets.unlimited), 200);
      case 'create':
        return create;
      case '401 bad checksum':
        return get(petPath, key(secrets.unknown.map((secret) => `${secret.slice(0, -1)}-`)), 401);
      case '401 unknown key':
        return get(petPath, key(secrets.unknown), 401);
      case '429 exhausted key':
        return get(petPath, key(secrets.exhausted), 429);
    }
  });
}

const statusOf = (index: number) => PET_STATUSES[index % PET_STATUSES.length]!;
const limitOf = (index: number) => LIMITS[Math.floor(index / PET_STATUSES.length) % LIMITS.length]!;
const depthOf = (index: number) => Math.floor(((index % DEPTHS) / DEPTHS) * LAST_CURSOR);

/** No filter, a status, a category, or both. */
function filterOf(index: number): PetFilter {
  const isOdd = (bit: number) => ((index >> bit) & 1) === 1;
  return {
    ...(isOdd(1) ? { status: statusOf(index) } : {}),
    ...(isOdd(2) ? { categoryId: BigInt(index % CATEGORIES) } : {}),
  };
}

function listPath(system: SystemName, filter: PetFilter, limit: number, afterId: number): string {
  // The peers have no opaque cursors and accept the id itself.
  const from =
    system === 'ours' || system === 'embedded'
      ? `cursor=${encodeCursor(cursorScope(filter), BigInt(afterId))}`
      : `after=${afterId}`;
  const filters = Object.entries(filter).map(([name, value]) => `${name}=${String(value)}&`);
  return `/v1/pets?${filters.join('')}limit=${limit}&${from}`;
}
