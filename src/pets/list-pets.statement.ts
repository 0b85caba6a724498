import { INT64_MIN } from '../platform/common/int64.js';
import { MAX_PAGE_SIZE } from '../platform/common/paging.js';
import type { Statement } from '../platform/database/database.js';
import { PET_COLUMNS } from './pet.entity.js';
import type { PetStatus } from './pet-status.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface PetFilter {
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
  ids?: bigint[] | undefined;
}

export interface PetPage {
  /** A JSON array with the members of PetDto. */
  pets: string;
  /** The id of the last animal of the page while more follow. */
  lastId: bigint | undefined;
}

/** The result of a list statement. It has one animal more than the page shows if another page follows. */
export interface ListedPets {
  /** The elements of a JSON array; null: no animal. */
  pets: string | null;
  count: number;
}

/** Stands between two animals. Within JSON text a line break is escaped. */
const SEPARATOR = ',\n';
const ID = /^\{"id":(-?\d+)/;
/**
 * What is JSON without `to_json`, which is slow: numbers, and words without characters to escape. None of it is ever null. Each value
 * closes the SQL string around it and opens it again.
 */
const PLAIN: Record<string, string> = {
  id: `', id, '`,
  categoryId: `', category_id, '`,
  status: `"', status, '"`,
};
/** The members of PetDto, in one SQL string. */
const MEMBERS = Object.entries({ id: 'id', ...PET_COLUMNS }).map(
  ([name, column]) => `"${name}":${PLAIN[name] ?? `', coalesce(to_json(${column}), 'null'), '`}`,
);
const JSON_OF_PET = `concat('{${MEMBERS.join(',')}}')`;

const CONDITIONS: Record<keyof PetFilter, (parameter: string) => string> = {
  ids: (parameter) => `id = any(${parameter}::bigint[])`,
  categoryId: (parameter) => `category_id = ${parameter}`,
  status: (parameter) => `status = ${parameter}`,
};
const FILTER_NAMES = Object.keys(CONDITIONS) as (keyof PetFilter)[];

/** By name: one for each combination of filters. */
const statements = new Map<string, Statement>();

/** The statement and its values for at most `limit` animals and one more, with ids above `afterId`. */
export function listStatement(
  filter: PetFilter,
  limit: number,
  afterId: bigint | undefined,
): { statement: Statement; values: unknown[] } {
  const given = FILTER_NAMES.filter((filterName) => filter[filterName] !== undefined);
  const name = ['list-pets', ...given].join('-');
  const statement = statements.get(name) ?? { name, text: textOf(filter, given) };
  statements.set(name, statement);
  const firstId = afterId === undefined ? INT64_MIN : afterId + 1n;
  return { statement, values: [limit + 1, firstId, ...given.map((filterName) => filter[filterName])] };
}

function textOf(filter: PetFilter, given: (keyof PetFilter)[]): string {
  const order = orderOf(filter);
  const conditions = given.map((name, index) => CONDITIONS[name](`$${index + 3}`));
  // The planner expects an unknown limit to be a tenth of all rows, so the text contains the highest limit.
  const candidates = `select ${JSON_OF_PET} as pet from pets
    where ${[...conditions, `${order} >= $2`].join(' and ')} order by ${order} limit ${MAX_PAGE_SIZE + 1}`;
  // PostgreSQL writes the JSON, because Node has one thread and reading rows takes most of it. json_agg is slower (docs/performance.md).
  return `select string_agg(pet, '${SEPARATOR}') as pets, count(*)::int as count
    from (select pet from (${candidates}) candidate limit $1) page`;
}

/** The page of at most `limit` animals. */
export function pageOf({ pets, count }: ListedPets, limit: number): PetPage {
  if (pets === null || count <= limit) return { pets: `[${pets ?? ''}]`, lastId: undefined };
  const end = pets.lastIndexOf(SEPARATOR);
  const shown = pets.slice(0, end);
  const id = ID.exec(shown.slice(shown.lastIndexOf('\n') + 1))?.[1];
  if (end < 0 || id === undefined) throw new Error('a list is not as its statement writes it');
  return { pets: `[${shown}]`, lastId: BigInt(id) };
}

/**
 * The id as only the index for these filters spells it. No other index gives that order, so the planner cannot read the whole
 * table or a whole category to find a few matches (docs/decisions/0044).
 */
function orderOf({ ids, status, categoryId }: PetFilter): string {
  if (ids) return 'id';
  if (categoryId !== undefined) return status === undefined ? '(0 + id)' : '(id - 0)';
  return status === undefined ? 'id' : '(id + 0)';
}
