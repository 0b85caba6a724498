import pg from 'pg';

let made = 0;

/** Creates a database on the server, passes its URL to the measurement and drops it afterwards. */
export async function withDatabase<Result>(
  serverUrl: string,
  measure: (url: string) => Promise<Result>,
): Promise<Result> {
  made += 1;
  const name = `animal_store_bench_${process.pid}_${made}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await onServer(serverUrl, `create database ${name}`);
  try {
    return await measure(url.href);
  } finally {
    await onServer(serverUrl, `drop database ${name} with (force)`);
  }
}

export async function onServer(serverUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
