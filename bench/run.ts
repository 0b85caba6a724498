import { parseArgs } from 'node:util';
import { measureDecisions } from './decisions.js';
import { measureEvents } from './events.js';
import { measureLoad } from './load/load.js';
import { measureManyKeys } from './load/many-keys.js';
import { measureSoak } from './load/soak.js';
import { measurePaging } from './paging.js';
import { writeReport, type Part } from './report.js';
import { measureStart } from './start.js';

/* `npm run bench [-- part …] [--quick] [--minutes N]`: measures on this machine and writes bench/results/report.md. */

function needed(name: string, what: string): string {
  const value = process.env[name];
  if (value !== undefined) return value;
  console.error(`${name}: expected the URL of ${what}`);
  process.exit(2);
}

const serverUrl = needed('BENCH_DATABASE_URL', 'a PostgreSQL server on which databases may be made');
const redisUrl = needed('BENCH_REDIS_URL', 'a Redis whose logical database may be emptied');

const PARTS: Record<string, () => Promise<Part>> = {
  decisions: async () => ({ rows: await measureDecisions(redisUrl) }),
  start: async () => ({ rows: await measureStart(serverUrl) }),
  paging: async () => ({ rows: await measurePaging(serverUrl) }),
  events: async () => ({ rows: await measureEvents({ serverUrl, redisUrl }) }),
  load: () => measureLoad({ serverUrl, redisUrl }, options.quick),
  keys: () => measureManyKeys({ serverUrl, redisUrl }),
  soak: () => measureSoak({ serverUrl, redisUrl }, Number(options.minutes)),
};
/** The default: all parts but the soak, whose duration is an option. */
const DEFAULT_PARTS = Object.keys(PARTS).filter((name) => name !== 'soak');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, minutes: { type: 'string', default: '10' } },
});
const names = positionals.length > 0 ? positionals : DEFAULT_PARTS;
const measures = names.map((name) => {
  const part = PARTS[name];
  if (part) return part;
  console.error(`${name}: expected one of ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
});

const parts: Part[] = [];
for (const [index, measure] of measures.entries()) {
  console.error(`part ${index + 1} of ${measures.length}: ${names[index]!}`);
  parts.push(await measure());
}
writeReport(parts);
const broken = parts.flatMap((part) => part.broken ?? []);
for (const line of broken) console.error(line);
process.exit(broken.length > 0 ? 1 : 0);
