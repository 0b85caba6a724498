import type { PetFilter } from './pet.js';

/** What a cursor of listPets is bound to. The same filters, however they were written, share their cursors. */
export function cursorScope({ status, categoryId, ids }: PetFilter): string {
  const sorted = ids && [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)).join(',');
  return `listPets status=${status ?? ''} categoryId=${String(categoryId ?? '')} ids=${sorted ?? ''}`;
}
