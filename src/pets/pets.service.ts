import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/actor.js';
import { Database } from '../platform/database/database.js';
import { invalidStatusTransition } from '../platform/common/errors/common.errors.js';
import { JsonBody } from '../platform/common/json.js';
import { decodeCursor, encodeCursor, JsonPage, scopeOfOrder } from '../platform/common/paging.js';
import type { NewPetDto, PetUpdateDto } from './dto/pets.dto.js';
import type { PetFilter } from './list-pets.statement.js';
import type { PetEntity } from './pet.entity.js';
import { DEFAULT_STATUS, isAllowedTransition, type PetStatus } from './pet-status.js';
import { petHasOpenOrder, petNotAvailable, petNotFound } from './pets.errors.js';
import { PetsRepository } from './pets.repository.js';

/** The rules of the catalogue. A `check` sees the locked animal before it changes, and throws to refuse the change. */
@Injectable()
export class PetsService {
  constructor(
    private readonly repository: PetsRepository,
    private readonly database: Database,
  ) {}

  /**
   * One page of animals.
   *
   * @throws ApiError `invalid_cursor` for a cursor of another operation or other filters.
   */
  async list(filter: PetFilter, limit: number, cursor: string | undefined): Promise<JsonPage> {
    const scope = cursorScope(filter);
    const { pets, lastId } = await this.repository.list(filter, limit, decodeCursor(scope, cursor));
    return new JsonPage(pets, lastId === undefined ? undefined : encodeCursor(scope, lastId));
  }

  /** `actor`, here and below: the id of a key, `command` or `service`. */
  create({ status = DEFAULT_STATUS, ...fields }: NewPetDto, actor: Actor): Promise<PetEntity> {
    return this.repository.insert({ ...fields, status, changedBy: actor });
  }

  /** Adds at least one animal in one statement; resolves with them in the order given, which is that of their ids. */
  createMany(pets: readonly NewPetDto[], actor: Actor): Promise<PetEntity[]> {
    return this.repository.insertMany(
      pets.map(({ status = DEFAULT_STATUS, ...fields }) => ({ ...fields, status, changedBy: actor })),
    );
  }

  /** @throws ApiError `pet_not_found` */
  async get(id: bigint): Promise<PetEntity> {
    return found(id, await this.repository.find(id));
  }

  /**
   * The animal as callers see it.
   *
   * @throws ApiError `pet_not_found`
   */
  async show(id: bigint): Promise<JsonBody> {
    return new JsonBody(found(id, await this.repository.show(id)));
  }

  /** @throws ApiError `pet_not_found`, `pet_has_open_order` for a change of status, `invalid_status_transition` */
  update(
    id: bigint,
    changes: PetUpdateDto,
    actor: Actor,
    check: (pet: PetEntity) => void,
  ): Promise<PetEntity> {
    return this.database.transaction(async () => {
      const pet = found(id, await this.repository.lock(id));
      check(pet);
      const { status = pet.status, ...fields } = changes;
      if (status !== pet.status && pet.openOrderId !== null) throw petHasOpenOrder(id);
      if (!isAllowedTransition(pet.status, status))
        throw invalidStatusTransition('status', pet.status, status);
      const written = { ...fields, status };
      await this.repository.update(id, written, actor);
      return Object.assign(pet, written);
    });
  }

  /** @throws ApiError `pet_not_found`, `pet_has_open_order` */
  async delete(id: bigint, actor: Actor, check: (pet: PetEntity) => void): Promise<void> {
    await this.database.transaction(async () => {
      const pet = found(id, await this.repository.lock(id));
      check(pet);
      if (pet.openOrderId !== null) throw petHasOpenOrder(id);
      await this.repository.delete(id, actor);
    });
  }

  /**
   * Reserves an available animal for an order, in the transaction of the order: the animal becomes pending.
   *
   * @throws ApiError `pet_not_found`, `pet_not_available`
   */
  async reserve(id: bigint, orderId: bigint, actor: Actor): Promise<void> {
    if (await this.repository.reserve(id, orderId, actor)) return;
    throw petNotAvailable(id, (await this.get(id)).status);
  }

  /** Ends a reservation, in the transaction of the order. */
  async release(id: bigint, orderId: bigint, status: 'available' | 'sold', actor: Actor): Promise<void> {
    if (await this.repository.release(id, orderId, status, actor)) return;
    throw new Error(`order ${String(orderId)} is open and does not reserve animal ${String(id)}`);
  }

  /** Makes animals available again whose orders have ended, in the transaction of the orders; resolves with their number. */
  releaseAll(orders: readonly { id: bigint; petId: bigint }[], actor: Actor): Promise<number> {
    return this.repository.releaseAll(orders, actor);
  }

  /** The number of animals of every status. */
  inventory(): Promise<Record<PetStatus, bigint>> {
    return this.repository.count();
  }
}

function found<Pet>(id: bigint, pet: Pet | null | undefined): Pet {
  if (!pet) throw petNotFound(id);
  return pet;
}

/** The scope of a cursor of listPets. Cursors fit the same filters with the ids in any order. */
export function cursorScope({ status, categoryId, ids, order }: PetFilter): string {
  const sorted = ids && [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)).join(',');
  return `listPets status=${status ?? ''} categoryId=${String(categoryId ?? '')} ids=${sorted ?? ''}${scopeOfOrder(order)}`;
}
