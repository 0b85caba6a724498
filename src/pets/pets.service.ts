import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { invalidStatusTransition } from '../common/errors/common.errors.js';
import { afterIdOf, encodeCursor } from '../common/paging/cursor.js';
import { cursorScope } from './cursor-scope.js';
import { DEFAULT_STATUS, PET_STATUSES, type Pet, type PetFilter, type PetStatus } from './pet.js';
import { toPet } from './pet.mapper.js';
import { petHasOpenOrder, petNotAvailable, petNotFound } from './pets.errors.js';
import { PetsRepository, type LockedPetRow } from './pets.repository.js';
import { mayBecome } from './status-transitions.js';

export interface NewPet {
  name: string;
  categoryId: bigint;
  status?: PetStatus | undefined;
}

/** What is to change; at least one field. */
export type PetChanges = Partial<NewPet>;

/** One page of animals, and where the next one starts; no cursor on the last page. */
export interface PetPage {
  /** A JSON array of pets. */
  pets: string;
  nextCursor: string | undefined;
}

/** The catalogue. */
@Injectable()
export class PetsService {
  constructor(
    private readonly repository: PetsRepository,
    private readonly database: Database,
  ) {}

  /** Raises invalid_cursor for a cursor of another operation or other filters. */
  async list(filter: PetFilter, limit: number, cursor: string | undefined): Promise<PetPage> {
    const scope = cursorScope(filter);
    const afterId = afterIdOf(scope, cursor);
    const { pets, last_id: lastId, has_more: hasMore } = await this.repository.list(filter, afterId, limit);
    return { pets, nextCursor: hasMore && lastId !== null ? encodeCursor(scope, lastId) : undefined };
  }

  async create(pet: NewPet): Promise<Pet> {
    return toPet(await this.repository.insert({ ...pet, status: pet.status ?? DEFAULT_STATUS }));
  }

  /** Many at once, in one statement; resolves with the lowest and the highest of their ids. At least one. */
  async createMany(pets: readonly Omit<Pet, 'id'>[]): Promise<{ firstId: bigint; lastId: bigint }> {
    const rows = await this.repository.insertMany(pets);
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) throw new RangeError('no pets to add');
    return { firstId: first.id, lastId: last.id };
  }

  /** Raises pet_not_found. */
  async get(id: bigint): Promise<Pet> {
    const row = await this.repository.find(id);
    if (!row) throw petNotFound(id);
    return toPet(row);
  }

  /** Raises pet_not_found, pet_has_open_order (any change of status) and invalid_status_transition. */
  update(id: bigint, changes: PetChanges): Promise<Pet> {
    return this.database.transaction(async () => {
      const row = await this.locked(id);
      const pet = toPet(row);
      const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = changes;
      if (status !== pet.status && row.open_order_id !== null) throw petHasOpenOrder(id);
      if (!mayBecome(pet.status, status)) throw invalidStatusTransition('status', pet.status, status);
      return toPet(await this.repository.update({ id, name, categoryId, status }));
    });
  }

  /** Raises pet_not_found and pet_has_open_order. */
  async delete(id: bigint): Promise<void> {
    await this.database.transaction(async () => {
      const row = await this.locked(id);
      if (row.open_order_id !== null) throw petHasOpenOrder(id);
      await this.repository.delete(id);
    });
  }

  /**
   * Takes an available animal for an order, in the order's transaction: it is pending from then on, and nobody else's.
   * Raises pet_not_found and pet_not_available.
   */
  async reserve(id: bigint, orderId: bigint): Promise<void> {
    if (await this.repository.reserve(id, orderId)) return;
    throw petNotAvailable(id, (await this.get(id)).status);
  }

  /** Ends a reservation, in the transaction of the order that holds it. */
  async release(id: bigint, orderId: bigint, status: 'available' | 'sold'): Promise<void> {
    if (await this.repository.release(id, orderId, status)) return;
    throw new Error(`order ${String(orderId)} is open and does not hold animal ${String(id)}`);
  }

  /** How many animals there are of every status. */
  async inventory(): Promise<Record<PetStatus, bigint>> {
    const counts = await this.repository.count();
    const countOf = (status: PetStatus) => counts.find((row) => row.status === status)?.count ?? 0n;
    return Object.fromEntries(PET_STATUSES.map((status) => [status, countOf(status)])) as Record<
      PetStatus,
      bigint
    >;
  }

  private async locked(id: bigint): Promise<LockedPetRow> {
    const row = await this.repository.lock(id);
    if (!row) throw petNotFound(id);
    return row;
  }
}
