import { Injectable } from '@nestjs/common';
import { invalidCursor } from '../common/errors/common.errors.js';
import { decodeCursor, encodeCursor } from '../common/paging/cursor.js';
import { cursorScope } from './cursor-scope.js';
import { DEFAULT_STATUS, type Pet, type PetFilter, type PetStatus } from './pet.js';
import { toPet } from './pet.mapper.js';
import { petNotFound } from './pets.errors.js';
import { PetsRepository } from './pets.repository.js';

export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus | undefined;
}

/** One page of animals, and where the next one starts; no cursor on the last page. */
export interface PetPage {
  pets: Pet[];
  nextCursor: string | undefined;
}

/** The catalogue. */
@Injectable()
export class PetsService {
  constructor(private readonly repository: PetsRepository) {}

  /** Raises invalid_cursor for a cursor of another operation or other filters. */
  async list(filter: PetFilter, limit: number, cursor: string | undefined): Promise<PetPage> {
    const scope = cursorScope(filter);
    const afterId = cursor === undefined ? undefined : decodeCursor(scope, cursor);
    if (cursor !== undefined && afterId === undefined) throw invalidCursor();
    // One row more than shown tells whether another page follows.
    const rows = await this.repository.list(filter, afterId, limit + 1);
    const pets = rows.slice(0, limit).map(toPet);
    const last = pets.at(-1);
    return { pets, nextCursor: rows.length > limit && last ? encodeCursor(scope, last.id) : undefined };
  }

  async create(pet: NewPet): Promise<Pet> {
    return toPet(await this.repository.insert({ ...pet, status: pet.status ?? DEFAULT_STATUS }));
  }

  /** Raises pet_not_found. */
  async get(id: bigint): Promise<Pet> {
    const row = await this.repository.find(id);
    if (!row) throw petNotFound(id);
    return toPet(row);
  }
}
