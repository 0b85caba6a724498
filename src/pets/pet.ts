export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** What a new animal is when nobody says otherwise. */
export const DEFAULT_STATUS: PetStatus = 'available';

/** An animal of the catalogue. Ids are int64 and never used again. */
export interface Pet {
  id: bigint;
  name: string;
  /** An opaque reference: any int64. */
  categoryId: bigint;
  status: PetStatus;
}

/** Which animals a list shows; an absent filter lets everything through. */
export interface PetFilter {
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
  ids?: bigint[] | undefined;
}
