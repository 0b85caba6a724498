import type { Key } from 'animal-store-client';
import type { RecordOf } from '../api/records';
import type { Access } from '../session/session';

export type KeyRecord = RecordOf<Key>;

export const LABELS = {
  name: 'Name',
  reference: 'Reference',
  access: 'Access',
  plan: 'Plan',
  perMinute: 'Requests a minute',
  perDay: 'Requests a day',
  expiresAt: 'End',
};

/** What each access allows, in words. */
export const ACCESS_WORDS: Record<Access, string> = {
  read: 'Reads the catalogue and its own limits.',
  order: 'Reads the catalogue, and places and cancels its own orders.',
  manage: 'Manages animals and the orders of all partners.',
  admin: 'Manages animals, all orders, and the keys of partners.',
};

export const PLAN_WORDS: Record<Key['plan'], string> = {
  free: '60 a minute, 1,000 a day',
  pro: '300 a minute, 10,000 a day',
  business: '1,000 a minute, 100,000 a day',
  enterprise: 'its own limits',
};

/** The limits of a key, such as “300 a minute, 10,000 a day”. */
export function limitWords({ perMinute, perDay }: Pick<KeyRecord, 'perMinute' | 'perDay'>): string {
  if (perMinute === null || perDay === null) return 'no limits known';
  return `${perMinute.toLocaleString('en')} a minute, ${perDay.toLocaleString('en')} a day`;
}

/** An admin key is issued and changed by command only. */
export const isChangeable = ({ access, state }: KeyRecord) => access !== 'admin' && state !== 'revoked';
