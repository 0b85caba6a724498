export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** The status of a new animal that is created without one. */
export const DEFAULT_STATUS: PetStatus = 'available';

/** The transitions that a caller may make: a sale can fall through while it is pending, and sold is final. */
const NEXT_STATUSES: Readonly<Record<PetStatus, readonly PetStatus[]>> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: [],
};

/** Whether a caller may change a status; the same status again is always allowed. */
export function isAllowedTransition(from: PetStatus, to: PetStatus): boolean {
  return from === to || NEXT_STATUSES[from].includes(to);
}
