import { type Access, isAccessEnough } from '../auth/access.js';

/** Every type of event, and who sees it: everybody, the key itself and the store, or the key itself and `admin`. */
const AUDIENCES = {
  'pet.created': 'everybody',
  'pet.updated': 'everybody',
  'pet.deleted': 'everybody',
  'order.placed': 'store',
  'order.approved': 'store',
  'order.delivered': 'store',
  'order.cancelled': 'store',
  'order.expired': 'store',
  'key.quota_reached': 'admin',
  'key.banned': 'admin',
  'webhook.disabled': 'admin',
} as const;

export type EventType = keyof typeof AUDIENCES;

export const EVENT_TYPES = Object.keys(AUDIENCES) as EventType[];

/** The types that a key sees: of every key, and of the events that are its own. */
export interface VisibleTypes {
  all: EventType[];
  own: EventType[];
}

/** What a key with this access sees among `types` (docs/events.md). */
export function visibleTypes(access: Access, types: readonly EventType[] = EVENT_TYPES): VisibleTypes {
  const seesAll = { everybody: true, store: isAccessEnough(access, 'manage'), admin: access === 'admin' };
  const seesOwn = { everybody: false, store: isAccessEnough(access, 'order'), admin: true };
  const all = types.filter((type) => seesAll[AUDIENCES[type]]);
  return { all, own: types.filter((type) => !all.includes(type) && seesOwn[AUDIENCES[type]]) };
}
