import { isPlan, MAX_LIMIT, PLAN_NAMES, PLANS } from '../auth/plans.js';
import { INT64_MAX } from '../common/int64.js';
import { JsonSyntaxError, type JsonValue, parseJson } from '../common/json/parse-json.js';
import type { ExportedTable } from './export-format.js';

type Row = Readonly<Record<string, JsonValue>>;

/**
 * What is wrong with a row that PostgreSQL would store, or refuse without naming the line; undefined when nothing is. The
 * import checks this before it opens the database.
 */
export function rowProblem(table: ExportedTable, json: Buffer): string | undefined {
  const row = parseRow(json);
  if (!row) return `a row of ${table.name} is not a JSON object`;
  return int64Problem(table, row) ?? (table.name === 'api_keys' ? planProblem(row) : undefined);
}

function parseRow(json: Buffer): Row | undefined {
  try {
    const value = parseJson(json);
    const isObject = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
    return isObject ? (value as Row) : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function int64Problem({ name, columns, ids }: ExportedTable, row: Row): string | undefined {
  for (const [column, type] of Object.entries(columns)) {
    const value = row[column];
    if (type !== 'bigint' || value === null || value === undefined) continue;
    if (typeof value !== 'bigint') return `${name}.${column} is not an int64`;
    if (column === ids?.column && value === INT64_MAX)
      return `${name}.${column} is ${String(value)}, which leaves no id for the next row`;
  }
  return undefined;
}

/** The same rules as for `keys create`: see auth/keys/key-rules.ts. */
function planProblem({ plan, per_minute, per_day }: Row): string | undefined {
  if (typeof plan !== 'string' || !isPlan(plan))
    return `api_keys.plan is not one of ${PLAN_NAMES.join(', ')}`;
  const isCustom = PLANS[plan] === null;
  const fits = isCustom ? isLimit : isAbsent;
  if (fits(per_minute) && fits(per_day)) return undefined;
  return isCustom
    ? `api_keys.per_minute and per_day of the plan ${plan} are not integers from 1 to ${MAX_LIMIT}`
    : `api_keys.per_minute and per_day are set for the plan ${plan}`;
}

function isLimit(value: JsonValue | undefined): boolean {
  return typeof value === 'bigint' && value >= 1n && value <= BigInt(MAX_LIMIT);
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === null || value === undefined;
}
