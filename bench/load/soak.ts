import type { Part } from '../report.js';
import { residentMb } from '../../test/support/tools/resident-mb.js';
import { median } from '../support.js';
import { bearer, get, patch, post, type Headers } from './generator/calls.js';
import type { Call } from './generator/connection.js';
import { GeneratorProcess } from './generator/generator-process.js';
import { makeSecrets, PETS } from './shop-data.js';
import { withSystems, type Servers } from './systems.js';

const CALLERS = 100_000;
const CONNECTIONS = 32;
const SAMPLE_MS = 1_000;
/** The allowed growth from the middle third of the run to the last. The first third is the warm-up, after one call of each caller. */
const GROWTH = 1.05;

/** Mixed load from 100,000 keys and as many addresses. Memory must stay flat after the first call of each, without failures. */
export async function measureSoak(servers: Servers, minutes: number): Promise<Part> {
  const secrets = makeSecrets(CALLERS);
  const calls = secrets.unlimited.map(callOf);
  const residentMbs: number[] = [];
  const generator = new GeneratorProcess();
  try {
    const figures = await withSystems(
      { ...servers, isBehindProxy: true },
      ['ours'],
      secrets,
      async ([ours]) => {
        let sampling: NodeJS.Timeout | undefined;
        const began = () => {
          console.error(`soaking for ${minutes} minutes`);
          sampling = setInterval(() => residentMbs.push(residentMb(ours!.pid)), SAMPLE_MS);
        };
        const job = {
          port: ours!.port,
          connections: CONNECTIONS,
          leadInMs: SAMPLE_MS,
          // One call of every caller.
          leadInCalls: CALLERS,
          durationMs: minutes * 60_000,
        };
        try {
          return await generator.run(calls, job, began);
        } finally {
          clearInterval(sampling);
        }
      },
    );
    return partOf(residentMbs, figures.failures, figures.answered / figures.seconds, minutes);
  } finally {
    generator.stop();
  }
}

function partOf(
  residentMbs: number[],
  failures: Record<string, number>,
  perSecond: number,
  minutes: number,
): Part {
  const third = Math.floor(residentMbs.length / 3);
  const middleMb = median(residentMbs.slice(third, 2 * third));
  const lastMb = median(residentMbs.slice(2 * third));
  const kinds = Object.entries(failures).map(([kind, count]) => `${count} × ${kind}`);
  const rows = [
    {
      what: `soak of ${minutes} minutes: resident memory, last third : middle third`,
      measured: `${lastMb.toFixed(0)} MB : ${middleMb.toFixed(0)} MB = ${(lastMb / middleMb).toFixed(3)}`,
      target: `≤ ${GROWTH}`,
      isMet: lastMb <= middleMb * GROWTH,
    },
    {
      what: `soak: failed, at ${Math.round(perSecond).toLocaleString('en')} requests a second`,
      measured: kinds.length === 0 ? '0' : kinds.join(', '),
      target: '0',
      isMet: kinds.length === 0 && perSecond > 0,
    },
  ];
  const broken = rows.filter(({ isMet }) => !isMet).map(({ what, measured }) => `${what}: ${measured}`);
  const tenth = Math.ceil(residentMbs.length / 10);
  const tenths = residentMbs.filter((_, index) => index % tenth === 0).map((mb) => mb.toFixed(0));
  const details = `Resident memory during each tenth of the soak: ${tenths.join(', ')} MB.`;
  return { rows, details, broken };
}

/** The call of this caller. Of every hundred callers most read, some write, and some send errors. */
function callOf(secret: string, caller: number): Call {
  const address = { 'X-Forwarded-For': `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}` };
  const headers: Headers = { ...bearer(secret), ...address };
  const petPath = `/v1/pets/${1 + (caller % PETS)}`;
  const kind = caller % 100;
  if (kind < 40) return get('/v1/pets?status=available&limit=20', headers, 200);
  if (kind < 80) return get(petPath, headers, 200);
  if (kind < 86) return post('/v1/pets', { ...headers, 'Idempotency-Key': `soak-${caller}` }, animal(caller));
  if (kind < 90) return patch(petPath, headers, { name: `Pet ${caller} again` });
  if (kind < 92) return get('/v1/usage?days=7', headers, 200);
  if (kind < 94) return get('/v1/rate-limit', headers, 200);
  if (kind < 96) return get('/v1/pets/0', headers, 404);
  return get(petPath, address, 401);
}

function animal(caller: number): object {
  return { name: `Pet of ${caller}`, categoryId: caller % 100 };
}
