import { describe, expect, it } from '@jest/globals';
import { getMetadataArgsStorage } from 'typeorm';
import type { Database, Statement } from '../database/database.js';
import { PetEntity } from './pet.entity.js';
import { PetsRepository, type NewPet } from './pets.repository.js';

/** The columns that the service sets itself: the id, and the reservation by an order. */
const NOT_WRITTEN = new Set(['id', 'open_order_id']);

const columns = getMetadataArgsStorage()
  .columns.filter(({ target }) => target === PetEntity)
  .map(({ propertyName, options: { name = propertyName } }) => name)
  .filter((name) => !NOT_WRITTEN.has(name));

/** The text of the statement that `run` runs. */
async function textOf(run: (pets: PetsRepository) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const query = ({ text }: Statement) => {
    texts.push(text);
    return Promise.resolve([{ pets: null, count: 0 }]);
  };
  await run(new PetsRepository({ query } as unknown as Database));
  return texts.join();
}

const pet: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' };
const list = (text: string) => /select (.*) from pets/.exec(text)![1]!;

describe('every field of an animal', () => {
  it.each(columns)('is inserted: %s', async (column) => {
    expect(/\((.*)\)/.exec(await textOf((pets) => pets.insertMany([pet])))![1]).toContain(column);
  });

  it.each(columns)('is updated: %s', async (column) => {
    expect(await textOf((pets) => pets.update({ id: 1n, ...pet }))).toMatch(
      new RegExp(` ${column} = \\$\\d.* where `),
    );
  });

  it.each(columns)('is listed: %s', async (column) => {
    expect(list(await textOf((pets) => pets.list({}, 20, undefined)))).toContain(column);
  });
});
