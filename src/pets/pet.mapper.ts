import type { Pet } from './pet.js';
import type { PetRow } from './pets.repository.js';

/** A row as the JSON shape of a Pet. Lists have theirs written by the database, by the same names: list-pets.statement.ts. */
export function toPet(row: PetRow): Pet {
  return { id: row.id, name: row.name, categoryId: row.category_id, status: row.status };
}
