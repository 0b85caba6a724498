import type { Part } from '../report.js';
import { median } from '../support.js';
import { bearer, get } from './generator/calls.js';
import type { Call } from './generator/connection.js';
import { measure, type Sample } from './rounds.js';
import { GeneratorProcess } from './generator/generator-process.js';
import { makeSecrets, PETS } from './shop-data.js';
import { withSystems, type Servers, type System } from './systems.js';

const MANY_KEYS = 300_000;
const FEW_KEYS = 1_000;
const CONNECTIONS = 32;
const ROUNDS = 3;
/** Long enough for a request of every key. The cache trusts a key only for seconds. */
const DURATION_MS = 20_000;
const AT_LEAST = 0.7;
const RESIDENT_MB = 400;

/** getPet with 300,000 keys in turn compared to 1,000: the cost of a key that is not in the cache. */
export async function measureManyKeys(servers: Servers): Promise<Part> {
  const secrets = makeSecrets(MANY_KEYS);
  const calls = secrets.unlimited.map((secret, index) =>
    get(`/v1/pets/${1 + (index % PETS)}`, bearer(secret), 200),
  );
  const few: Sample[] = [];
  const many: Sample[] = [];
  const first = await withSystems(servers, ['ours'], secrets, async ([ours]) => {
    const sample = await take(ours!, calls);
    // A key's first request on a day also loads its count, so every key is used once before.
    await take(ours!, calls, MANY_KEYS);
    for (let round = 1; round <= ROUNDS; round += 1) {
      console.error(`round ${round} of ${ROUNDS}`);
      few.push(await take(ours!, calls.slice(0, FEW_KEYS)));
      many.push(await take(ours!, calls));
    }
    return sample;
  });
  const ratio = median(many.map(({ perSecond }, round) => perSecond / few[round]!.perSecond));
  const fewPerSecond = median(few.map(({ perSecond }) => perSecond));
  const residentMb = Math.max(...many.map((sample) => sample.residentMb));
  const failed = [first, ...few, ...many].flatMap(({ failures }) => Object.keys(failures)).length;
  const name = `getPet, ${MANY_KEYS.toLocaleString('en')} keys in turn`;
  return {
    rows: [
      {
        what: `${name} : ${FEW_KEYS.toLocaleString('en')} keys`,
        measured: ratio.toFixed(2),
        target: `≥ ${AT_LEAST}`,
        isMet: ratio >= AT_LEAST,
      },
      {
        what: `${name}, first requests of a day : ${FEW_KEYS.toLocaleString('en')} keys`,
        measured: (first.perSecond / fewPerSecond).toFixed(2),
        target: '',
      },
      {
        what: `${name}: resident memory, MB`,
        measured: residentMb.toFixed(0),
        target: `≤ ${RESIDENT_MB}`,
        isMet: residentMb <= RESIDENT_MB,
      },
      { what: `${name}: rounds with failures`, measured: String(failed), target: '0', isMet: failed === 0 },
    ],
  };
}

/** Starts a separate generator process, because the calls of 300,000 keys would slow down other measurements. */
async function take(system: System, calls: Call[], leadInCalls = 0): Promise<Sample> {
  const generator = new GeneratorProcess();
  try {
    const job = { connections: CONNECTIONS, leadInMs: 500, leadInCalls, durationMs: DURATION_MS };
    return await measure(generator, system, calls, job);
  } finally {
    generator.stop();
  }
}
