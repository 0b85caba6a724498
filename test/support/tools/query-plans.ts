import type pg from 'pg';
import type { Database, Statement } from '../../../src/platform/database/database.js';

/** Plans for the given values, and for any values. The service uses the second kind (data-source.ts). */
export const PLAN_MODES = ['force_custom_plan', 'force_generic_plan'];

/** A statement and its values. */
export type Captured = [Statement, unknown[]];

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** The statement that a repository runs. It resolves with `rows`. */
export async function captureStatement(
  rows: unknown[],
  run: (database: Database) => Promise<unknown>,
): Promise<Captured> {
  let captured: Captured | undefined;
  const query = (statement: Statement, values: unknown[]) => {
    captured = [statement, values];
    return Promise.resolve(rows);
  };
  await run({ query } as unknown as Database);
  return captured!;
}

/** The nodes that read a table, after the statement has run. */
export async function scans(
  client: pg.Client,
  [{ text }, values]: Captured,
  mode: string,
): Promise<PlanNode[]> {
  await client.query(`set plan_cache_mode = ${mode}`);
  await client.query(`prepare planned as ${text}`);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) execute planned(${values.map(literalOf).join(', ')})`,
  );
  await client.query('deallocate planned');
  const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return all(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] !== undefined);
}

/** The rows that a node reads, shown or not. */
export function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return node['Actual Loops'] * (node['Actual Rows'] + removed);
}

function literalOf(value: unknown): string {
  if (!Array.isArray(value)) return `'${String(value)}'`;
  const elements = value.map((element) =>
    Buffer.isBuffer(element) ? String.raw`"\\x${element.toString('hex')}"` : String(element),
  );
  return `'{${elements.join()}}'`;
}
