import { INT64_MAX, INT64_MIN } from '../common/int64.js';
import type { SortOrder } from '../common/paging.js';

/**
 * The clauses of a keyset read by one plain index, on `columns` and the id: the rows with these values (`columns` has a placeholder for
 * each) and an id from `low` to `high`, in the order of the id. The columns are compared and sorted as one row with the id, so no other index
 * gives that order, and the planner cannot walk the whole table to find a few matches (docs/decisions/0044).
 */
export function keysetOf(
  columns: Readonly<Record<string, string>>,
  low: string,
  high: string,
  order: SortOrder,
): { where: string; orderBy: string } {
  const row = (ids: string[]) => (ids.length === 1 ? ids.join() : `(${ids.join(', ')})`);
  const names = [...Object.keys(columns), 'id'];
  const valuesWith = (id: string) => row([...Object.values(columns), id]);
  return {
    where: `${row(names)} >= ${valuesWith(low)} and ${row(names)} <= ${valuesWith(high)}`,
    orderBy: names.map((name) => (order === 'desc' ? `${name} desc` : name)).join(', '),
  };
}

/** The lowest and the highest id of the rows that follow `afterId`, both inclusive. */
export function boundsAfter(afterId: bigint | undefined, order: SortOrder): [low: bigint, high: bigint] {
  if (afterId === undefined) return [INT64_MIN, INT64_MAX];
  // No id follows the last one, and an int64 cannot hold the next number.
  if (afterId === (order === 'desc' ? INT64_MIN : INT64_MAX)) return [INT64_MAX, INT64_MIN];
  return order === 'desc' ? [INT64_MIN, afterId - 1n] : [afterId + 1n, INT64_MAX];
}
