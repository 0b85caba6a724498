import type { PetStatus } from './pet.js';

/** What a caller may make of an animal's status: a sale can fall through while it is pending; sold is final. */
const NEXT: Readonly<Record<PetStatus, readonly PetStatus[]>> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: [],
};

/** The same status again is no transition, and none that could be refused. */
export function mayBecome(from: PetStatus, to: PetStatus): boolean {
  return from === to || NEXT[from].includes(to);
}
