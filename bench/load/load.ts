import {
  ALL_LOADS,
  answers,
  measureRounds,
  QUICK_LOADS,
  type Load,
  type Plan,
  type Samples,
} from './rounds.js';
import { checkAgreement } from './agreement.js';
import { loadChart } from './chart.js';
import { makeSecrets } from './shop-data.js';
import { SYSTEMS, withSystems, type Servers, type SystemName } from './systems.js';
import { broken, judge } from './targets.js';
import type { Part } from '../report.js';

const KEYS = 100;

const FULL: Plan = {
  loads: ALL_LOADS,
  rounds: 5,
  warmUpMs: 3_000,
  leadInMs: 500,
  durationMs: 3_000,
};

/** A plan of one minute that finds regressions, but is not precise enough for improvements. */
const QUICK: Plan = {
  loads: QUICK_LOADS,
  rounds: 5,
  warmUpMs: 1_500,
  leadInMs: 100,
  durationMs: 700,
};

/** Compares the service to plain Fastify, a standard NestJS application and the limits of Node and Nest in one run. */
export async function measureLoad(servers: Servers, isQuick: boolean): Promise<Part> {
  const plan = isQuick ? QUICK : FULL;
  const systems: readonly SystemName[] = isQuick ? ['fastify-baseline', 'nest-baseline', 'ours'] : SYSTEMS;
  const secrets = makeSecrets(KEYS);
  const samples = await withSystems(servers, systems, secrets, async (started) => {
    await checkAgreement(started, secrets);
    return measureRounds(started, secrets, plan);
  });
  const { loads, rounds, durationMs } = plan;
  return {
    rows: isQuick ? [] : judge(samples, loads),
    details: [
      `## Under load`,
      '',
      `100,000 animals, ${KEYS} keys; medians of ${rounds} rounds of ${durationMs / 1000} s, the systems in turn.`,
      '',
      ...table(samples, loads, systems),
      '',
      '![Requests a second, by route and system](load.svg)',
    ].join('\n'),
    charts: { 'load.svg': loadChart(samples, loads, systems) },
    broken: isQuick ? broken(samples, loads) : [],
  };
}

function table(samples: Samples, loads: Load[], systems: readonly SystemName[]): string[] {
  const lines = loads.flatMap((load) =>
    systems
      .filter((system) => answers(system, load))
      .map((system) => {
        const of = (figure: Parameters<Samples['median']>[2]) => samples.median(load, system, figure);
        return [
          load.route,
          load.connections,
          system,
          Math.round(of(({ perSecond }) => perSecond)).toLocaleString('en'),
          of(({ p50Ms }) => p50Ms).toFixed(2),
          of(({ p99Ms }) => p99Ms).toFixed(2),
          Math.round(of(({ cpuUsPerRequest }) => cpuUsPerRequest)),
          microseconds(of(({ postgresUsPerRequest }) => postgresUsPerRequest)),
          (of(({ gcShare }) => gcShare) * 100).toFixed(1),
          Math.round(of(({ residentMb }) => residentMb)),
          failuresOf(samples, load, system),
        ];
      }),
  );
  const heads = [
    'Route',
    'Connections',
    'System',
    'Requests a second',
    'p50, ms',
    'p99, ms',
    'CPU, µs a request',
    'CPU of PostgreSQL, µs a request',
    'Collecting garbage, %',
    'Resident, MB',
    'Failed',
  ];
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

const microseconds = (us: number) => (Number.isNaN(us) ? '' : Math.round(us));

function failuresOf(samples: Samples, load: Load, system: SystemName): string {
  const kinds = new Set(samples.of(load, system).flatMap(({ failures }) => Object.keys(failures)));
  const failed = samples.failed(load, system);
  return failed === 0 ? '0' : `${failed} (${[...kinds].join(', ')})`;
}
