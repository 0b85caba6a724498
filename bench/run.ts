import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { measureDecisions } from './decisions.js';
import { measurePaging } from './paging.js';
import { measureStart } from './start.js';

/** `npm run bench`: measures on this machine and writes bench/results/report.md. */
const serverUrl = process.env.BENCH_DATABASE_URL;
if (serverUrl === undefined) {
  console.error('BENCH_DATABASE_URL: expected the URL of a PostgreSQL server on which databases may be made');
  process.exit(2);
}

const redisUrl = process.env.BENCH_REDIS_URL;
if (redisUrl === undefined) {
  console.error('BENCH_REDIS_URL: expected the URL of a Redis whose logical database may be emptied');
  process.exit(2);
}

const rows = [
  ...(await measureDecisions(redisUrl)),
  ...(await measureStart(serverUrl)),
  ...(await measurePaging(serverUrl)),
];
const report = [
  `# Measured on ${cpus().length} cores, Node ${process.version}`,
  '',
  '| What | Measured | To reach |',
  '|---|---|---|',
  ...rows.map(({ what, measured, target }) => `| ${what} | ${measured} | ${target} |`),
  '',
].join('\n');
mkdirSync(new URL('./results/', import.meta.url), { recursive: true });
writeFileSync(new URL('./results/report.md', import.meta.url), report);
console.log(report);
process.exit(0);
