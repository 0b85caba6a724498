import type { Statement } from '../database/database.js';
import type { PetFilter } from './pet.js';

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

/**
 * The statement behind a page (a PetPageRow) and its values, but for the limit, which comes last. One statement, and so one
 * name and one plan, per combination of filters.
 */
export function listStatement(
  filter: PetFilter,
  afterId: bigint | undefined,
): { statement: Statement; values: unknown[] } {
  const key = orderOf(filter);
  const conditions: string[] = [];
  const values: unknown[] = [];
  const names: string[] = [];
  const add = (name: string, condition: (placeholder: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${String(values.length)}`));
    names.push(name);
  };
  add('category', (placeholder) => `category_id = ${placeholder}`, filter.categoryId);
  add('status', (placeholder) => `status = ${placeholder}`, filter.status);
  add('ids', (placeholder) => `id = any(${placeholder}::bigint[])`, filter.ids);
  add('after', (placeholder) => `${key} > ${placeholder}`, afterId);
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  const limit = `$${String(values.length + 1)}::int`;
  // One row more than shown tells whether another page follows.
  const page = `select ${MEMBERS} from pets ${where} order by ${key} limit ${limit} + 1`;
  return {
    statement: {
      name: ['list-pets', ...names].join('-'),
      text: `select '[' || coalesce(array_to_string((array_agg(row_to_json(pet)::text))[1:${limit}], ','), '') || ']' as pets,
        (array_agg(id))[${limit}] as last_id, count(*) > ${limit} as has_more from (${page}) pet`,
    },
    values,
  };
}
