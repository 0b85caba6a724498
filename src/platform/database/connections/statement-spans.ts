import type { ClientBase, QueryConfig } from 'pg';
import type { Traces } from '../../telemetry/tracing/traces.js';

/** Runs `work` on a connection, with a span where traces are on. `name`: of a named statement, or of another step. */
export function spanOf<Result>(
  traces: Traces | null | undefined,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  return traces ? traces.span({ name, isRemote: true, attributes }, work) : work();
}

/** Every statement of the connection gets a span. */
export function traceStatements(client: ClientBase, traces: Traces): void {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const traced = (statement: string | QueryConfig, ...others: unknown[]) =>
    spanOf(traces, summaryOf(statement), () => query(statement, ...others));
  client.query = traced as typeof client.query;
}

/** The name of a named statement. Otherwise the verb and the table, which hold no value: `SELECT pets`. */
export function summaryOf(statement: string | QueryConfig): string {
  const { name = '', text } = typeof statement === 'string' ? { text: statement } : statement;
  if (name !== '') return name;
  const [verb = ''] = /[a-z ]+/i.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update) "?(\w+)/i.exec(text) ?? [];
  return table === undefined ? verb.trim() : `${verb.split(' ', 1)[0] ?? ''} ${table}`;
}
