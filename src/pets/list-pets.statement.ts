import { DEFAULT_SORT_ORDER, MAX_PAGE_SIZE, type SortOrder } from '../platform/common/paging.js';
import { type EntityColumn, entityColumns } from '../platform/database/columns-of.js';
import type { Statement } from '../platform/database/database.js';
import { boundsAfter, keysetOf } from '../platform/database/keyset.js';
import { PET_COLUMNS, PetEntity } from './pet.entity.js';
import type { PetStatus } from './pet-status.js';

/** The filters of a list; an absent filter excludes nothing. */
export interface PetFilter {
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
  ids?: bigint[] | undefined;
  /** By id; ascending by default. */
  order?: SortOrder | undefined;
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
/** Texts that are words without characters to escape. */
const WORDS = ['status'];
/** Numbers and words are JSON without `to_json`, which is slow. None of them is ever null. */
const plain = ({ property, name, type }: EntityColumn): string | undefined => {
  if (WORDS.includes(property)) return `"', ${name}, '"`;
  return type === 'bigint' ? `', ${name}, '` : undefined;
};
/** The members of PetDto, in one SQL string. Each value closes the string around it and opens it again. */
const MEMBERS = entityColumns(PetEntity)
  .filter(({ property }) => property === 'id' || PET_COLUMNS.some((shown) => shown.property === property))
  .map(
    (column) => `"${column.property}":${plain(column) ?? `', coalesce(to_json(${column.name}), 'null'), '`}`,
  );

/** SQL: an animal as JSON with the members of PetDto. */
export const JSON_OF_PET = `concat('{${MEMBERS.join(',')}}')`;

/** The columns of the filters, as the indexes of PetEntity have them before the id. */
const FILTER_COLUMNS = { categoryId: 'category_id', status: 'status' } as const;
const FILTER_NAMES = Object.keys(FILTER_COLUMNS) as (keyof typeof FILTER_COLUMNS)[];

/** By name: one for each combination of filters and order. */
const statements = new Map<string, Statement>();

/** The statement and its values for at most `limit` animals that follow `afterId`, and one more. */
export function listStatement(
  filter: PetFilter,
  limit: number,
  afterId: bigint | undefined,
): { statement: Statement; values: unknown[] } {
  const { ids, order = DEFAULT_SORT_ORDER } = filter;
  const given = FILTER_NAMES.filter((filterName) => filter[filterName] !== undefined);
  const name = ['list-pets', ...(ids ? ['ids'] : []), ...given, ...(order === 'desc' ? [order] : [])].join(
    '-',
  );
  const statement = statements.get(name) ?? { name, text: textOf(given, ids !== undefined, order) };
  statements.set(name, statement);
  const values = given.map((filterName) => filter[filterName]);
  return { statement, values: [limit + 1, ...boundsAfter(afterId, order), ...values, ...(ids ? [ids] : [])] };
}

function textOf(given: (keyof typeof FILTER_COLUMNS)[], hasIds: boolean, order: SortOrder): string {
  const columns = Object.fromEntries(given.map((name, index) => [FILTER_COLUMNS[name], `$${index + 4}`]));
  // The primary key finds a few ids. No index serves `is not distinct from`, so the planner cannot read a whole category instead.
  const { where, orderBy } = keysetOf(hasIds ? {} : columns, '$2', '$3', order);
  const conditions = hasIds
    ? [
        ...Object.entries(columns).map(
          ([column, placeholder]) => `${column} is not distinct from ${placeholder}`,
        ),
        `id = any($${given.length + 4}::bigint[])`,
      ]
    : [];
  // The planner expects an unknown limit to be a tenth of all rows, so the text contains the highest limit.
  const candidates = `select ${JSON_OF_PET} as pet from pets
    where ${[where, ...conditions].join(' and ')} order by ${orderBy} limit ${MAX_PAGE_SIZE + 1}`;
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
