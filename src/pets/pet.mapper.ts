import type { Pet } from './pet.js';
import type { PetRow } from './pets.repository.js';

/** A row as the JSON shape of a Pet: the one place where the two meet. */
export function toPet(row: PetRow): Pet {
  return { id: row.id, name: row.name, categoryId: row.category_id, status: row.status };
}
