import { MAX_LIMIT } from '../common/paging/page-limit.js';
import type { Statement } from '../database/database.js';
import type { PetFilter } from './pet.js';

/** Which page of the list: at most `limit` animals, those with a higher id than `afterId` only. */
export interface PageQuestion {
  filter: PetFilter;
  afterId: bigint | undefined;
  limit: number;
}

/** What is asked, a value for each question. */
interface Column {
  name: string;
  type: 'bigint' | 'text' | 'int';
  valueOf: (question: PageQuestion) => unknown;
}

/** Filters that a list may have, and what an animal has to meet for each. */
const FILTERS: Record<keyof PetFilter, Column & { condition: string }> = {
  categoryId: {
    name: 'category_id',
    type: 'bigint',
    valueOf: ({ filter }) => filter.categoryId,
    condition: 'category_id = asked.category_id',
  },
  status: {
    name: 'status',
    type: 'text',
    valueOf: ({ filter }) => filter.status,
    condition: 'status = asked.status',
  },
  ids: {
    name: 'ids',
    // PostgreSQL has no lists of lists of differing lengths.
    type: 'text',
    valueOf: ({ filter }) => `{${(filter.ids ?? []).join(',')}}`,
    condition: 'id = any(asked.ids::bigint[])',
  },
};
const FILTER_NAMES = Object.keys(FILTERS) as (keyof PetFilter)[];

const BEFORE_ALL = -(2n ** 63n);
const PLACE: Column[] = [
  { name: 'after_id', type: 'bigint', valueOf: ({ afterId }) => afterId ?? BEFORE_ALL },
  { name: 'page_limit', type: 'int', valueOf: ({ limit }) => limit },
];

// The members of a Pet, by name and in order: the database writes the page (docs/performance.md).
const MEMBERS = 'id, name, category_id as "categoryId", status';

/**
 * The id in the spelling of the one index made for these filters. No other index can give that order, so the planner cannot
 * walk the whole table, or a whole category, for the one sold animal in it (docs/decisions/0044).
 */
function orderOf({ ids, status, categoryId }: PetFilter): string {
  if (ids) return 'id';
  if (categoryId !== undefined) return status === undefined ? '(0 + id)' : '(id - 0)';
  return status === undefined ? 'id' : '(id + 0)';
}

/** The name of the one statement for all lists that filter by the same. */
export function listStatementName(filter: PetFilter): string {
  let name = 'list-pets';
  for (const filterName of FILTER_NAMES) if (filter[filterName] !== undefined) name += `-${filterName}`;
  return name;
}

/**
 * The statement for all lists that filter by what this one filters by, and the values for any number of them. Its answer: a
 * PetPageRow for each question, in their order.
 */
export function listStatement(filter: PetFilter): {
  statement: Statement;
  valuesOf: (questions: PageQuestion[]) => unknown[];
} {
  const filters = FILTER_NAMES.filter((name) => filter[name] !== undefined).map((name) => FILTERS[name]);
  const columns = [...filters, ...PLACE];
  const lists = columns.map(({ type }, index) => `$${String(index + 1)}::${type}[]`);
  const order = orderOf(filter);
  const conditions = [...filters.map(({ condition }) => condition), `${order} > asked.after_id`];
  // The planner takes a limit which it does not know for a tenth of all rows: the highest there is, is there for it.
  const page = `select ${MEMBERS} from pets where ${conditions.join(' and ')}
    order by ${order} limit ${String(MAX_LIMIT + 1)}`;
  // One row more than shown tells whether another page follows.
  const text = `select page.* from unnest(${lists.join(', ')}) with ordinality
      as asked (${columns.map(({ name }) => name).join(', ')}, place)
    cross join lateral (
      select '[' || coalesce(array_to_string((array_agg(row_to_json(pet)::text))[1:asked.page_limit], ','), '') || ']' as pets,
        (array_agg(id))[asked.page_limit] as last_id, count(*) > asked.page_limit as has_more
      from (select * from (${page}) most limit asked.page_limit + 1) pet
    ) page order by asked.place`;
  return {
    statement: { name: listStatementName(filter), text },
    valuesOf: (questions) => columns.map(({ valueOf }) => questions.map(valueOf)),
  };
}
