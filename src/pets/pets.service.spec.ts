import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { JsonBody } from '../platform/common/json.js';
import { Database } from '../platform/database/database.js';
import { PetEntity } from './pet.entity.js';
import { PET_STATUSES, type PetStatus } from './pet-status.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

const ANY = () => undefined;

/** Animals in memory, as the rules see them. */
class FakePets {
  readonly rows = new Map<bigint, PetEntity>();
  page: { pets: string; lastId: bigint | undefined } = { pets: '[]', lastId: undefined };
  listed: unknown[] = [];

  add(id: bigint, status: PetStatus, openOrderId: bigint | null = null): void {
    const values = { id, name: 'Rex', categoryId: 7n, status, openOrderId, changedBy: 'service' };
    this.rows.set(id, Object.assign(new PetEntity(), values));
  }

  insert = (pet: Omit<PetEntity, 'id'>) => Promise.resolve({ id: 1n, ...pet });
  insertMany = (pets: Omit<PetEntity, 'id'>[]) =>
    Promise.resolve(pets.map((pet, at) => ({ id: BigInt(at + 1), ...pet })));
  find = (id: bigint) => Promise.resolve(this.rows.get(id) ?? null);
  lock = this.find;
  show = (id: bigint) => Promise.resolve(this.rows.has(id) ? `{"id":${id}}` : undefined);
  update = (id: bigint, changes: Partial<PetEntity>, changedBy: string) => {
    this.rows.set(id, Object.assign({}, this.rows.get(id)!, changes, { changedBy }));
    return Promise.resolve();
  };
  delete = (id: bigint) => Promise.resolve(void this.rows.delete(id));
  reserve = (id: bigint, openOrderId: bigint) => {
    const pet = this.rows.get(id);
    if (pet?.status !== 'available') return Promise.resolve(false);
    this.rows.set(id, Object.assign({}, pet, { status: 'pending', openOrderId }));
    return Promise.resolve(true);
  };
  release = (id: bigint, orderId: bigint) => Promise.resolve(this.rows.get(id)?.openOrderId === orderId);
  list = (...asked: unknown[]) => {
    this.listed = asked;
    return Promise.resolve(this.page);
  };
}

describe('PetsService', () => {
  let pets: FakePets;
  let service: PetsService;

  beforeEach(async () => {
    pets = new FakePets();
    const database = { transaction: (work: () => Promise<unknown>) => work() };
    const module = await Test.createTestingModule({
      providers: [
        PetsService,
        { provide: PetsRepository, useValue: pets },
        { provide: Database, useValue: database },
      ],
    }).compile();
    service = module.get(PetsService);
  });

  it('adds an animal as it is given, available unless said otherwise, and notes who added it', async () => {
    const rex = { name: 'Rex', categoryId: 7n };
    expect(await service.create(rex, 'key')).toMatchObject({ ...rex, status: 'available', changedBy: 'key' });
    expect(await service.create({ ...rex, status: 'sold' }, 'key')).toMatchObject({ status: 'sold' });
    const many = await service.createMany([rex, { ...rex, status: 'pending' }], 'command');
    expect(many.map(({ status, changedBy }) => [status, changedBy])).toEqual([
      ['available', 'command'],
      ['pending', 'command'],
    ]);
  });

  it.each(PET_STATUSES.flatMap((from) => PET_STATUSES.map((to) => [from, to] as const)))(
    'changes a status from %s to %s only as the states allow',
    async (from, to) => {
      pets.add(1n, from);
      const changed = service.update(1n, { status: to }, 'key', ANY);
      if (from === 'sold' && to !== 'sold')
        await expect(changed).rejects.toMatchObject({ code: 'invalid_status_transition' });
      else expect(await changed).toMatchObject({ status: to });
    },
  );

  it('changes the given fields only, and notes who changed them', async () => {
    pets.add(1n, 'available');
    expect(await service.update(1n, { name: 'Max' }, 'key', ANY)).toMatchObject({
      name: 'Max',
      categoryId: 7n,
    });
    expect(pets.rows.get(1n)).toMatchObject({
      name: 'Max',
      categoryId: 7n,
      status: 'available',
      changedBy: 'key',
    });
  });

  it('leaves the status of a reserved animal to its order', async () => {
    pets.add(1n, 'pending', 9n);
    await expect(service.update(1n, { status: 'available' }, 'key', ANY)).rejects.toMatchObject({
      code: 'pet_has_open_order',
    });
    expect(await service.update(1n, { name: 'Max', status: 'pending' }, 'key', ANY)).toMatchObject({
      name: 'Max',
    });
    await expect(service.delete(1n, 'key', ANY)).rejects.toMatchObject({ code: 'pet_has_open_order' });
    expect(pets.rows.has(1n)).toBe(true);
  });

  it('changes nothing where the check of the caller refuses', async () => {
    pets.add(1n, 'available');
    const refuse = ({ name }: PetEntity) => {
      throw new Error(`not ${name}`);
    };
    await expect(service.update(1n, { name: 'Max' }, 'key', refuse)).rejects.toThrow('not Rex');
    await expect(service.delete(1n, 'key', refuse)).rejects.toThrow('not Rex');
    expect(pets.rows.get(1n)).toMatchObject({ name: 'Rex' });
  });

  it('shows an animal as its repository writes it', async () => {
    pets.add(1n, 'sold');
    expect(await service.show(1n)).toEqual(new JsonBody('{"id":1}'));
  });

  it('does not find an animal that is not there', async () => {
    const missing = { code: 'pet_not_found' };
    await expect(service.get(1n)).rejects.toMatchObject(missing);
    await expect(service.show(1n)).rejects.toMatchObject(missing);
    await expect(service.update(1n, {}, 'key', ANY)).rejects.toMatchObject(missing);
    await expect(service.delete(1n, 'key', ANY)).rejects.toMatchObject(missing);
    await expect(service.reserve(1n, 9n, 'key')).rejects.toMatchObject(missing);
  });

  it('reserves an available animal, once', async () => {
    pets.add(1n, 'available');
    await service.reserve(1n, 9n, 'key');
    await expect(service.reserve(1n, 10n, 'key')).rejects.toMatchObject({ code: 'pet_not_available' });
    await expect(service.release(1n, 10n, 'available', 'key')).rejects.toThrow('order 10 is open');
  });

  it('names the next page by a cursor that only the same filters take', async () => {
    pets.page = { pets: '[{"id":5}]', lastId: 5n };
    const { nextCursor } = await service.list({ status: 'sold' }, 1, undefined);
    await service.list({ status: 'sold' }, 1, nextCursor);
    expect(pets.listed).toEqual([{ status: 'sold' }, 1, 5n]);
    for (const other of [{ status: 'pending' }, { status: 'sold', order: 'desc' }, {}] as const)
      await expect(service.list(other, 1, nextCursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
    pets.page = { pets: '[]', lastId: undefined };
    expect((await service.list({}, 1, undefined)).nextCursor).toBeUndefined();
  });
});
