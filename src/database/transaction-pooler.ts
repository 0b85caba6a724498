import type pg from 'pg';

/** Parameters of the server and their values, in milliseconds where they are times. */
export type Parameters = Record<string, number>;

/** The statements that set these parameters until the transaction (`local`) or the session ends. */
export function setParameters(scope: 'local' | 'session', parameters: Parameters): string {
  const assignments = Object.entries(parameters);
  return assignments.map(([name, value]) => `set ${scope} ${name} = ${value}`).join('; ');
}

/** What TypeORM begins each transaction with. */
const BEGIN = 'START TRANSACTION';

/**
 * Prepares a connection to a pooler that gives each transaction another connection to the server. Another client would meet a
 * named statement or a parameter of the session there, so statements have no name, and each transaction begins with its
 * parameters.
 */
export function useTransactionPooler(client: pg.Client, parameters: Parameters): void {
  const begin = `${BEGIN}; ${setParameters('local', parameters)}`;
  const query = client.query.bind(client) as (...values: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) =>
    query(statement === BEGIN ? begin : unnamed(statement), ...rest)) as typeof client.query;
}

function unnamed(statement: unknown): unknown {
  return typeof statement === 'object' ? { ...statement, name: undefined } : statement;
}
