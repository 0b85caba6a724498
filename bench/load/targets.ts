import type { Row } from '../report.js';
import { median } from '../support.js';
import { FEW, MANY, ONE, type Load, type Sample, type Samples } from './rounds.js';
import { SYSTEMS, type SystemName } from './systems.js';
import { MIXED, REFUSALS, ROUTES, type Route } from './workloads.js';

const AGAINST_FASTIFY = { list: 1, get: 1.1, create: 1, 'unshared list': 1, mix: 1 };
const AGAINST_LIMIT = { list: 0.7, get: 0.6, create: 0.9, 'unshared list': 0.65, mix: 0.65 };
/** The processor time of a get relative to that of a Nest that does nothing else. */
const GET_AGAINST_NEST_LIMIT = 1.35;
const P99_AGAINST_FASTIFY = 1;
const ALONE_AGAINST_FASTIFY = 1.1;
const AGAINST_NEST = { list: 4.5, get: 5, create: 5 };
/** The processor time of a refusal relative to that of a get. */
const REFUSAL_AGAINST_GET = 1;
const EMBEDDED_AGAINST_BASELINE = 0.8;
const MANY_AGAINST_FEW = 0.9;
const RESIDENT_MB = 260;

/** `--quick` fails below these bounds. They are far enough from the targets for a busy machine. */
const QUICK_AGAINST_FASTIFY = 0.6;
const QUICK_AGAINST_NEST = 2;

type Measured = [route: Route, system: SystemName, connections?: number];
type Figure = (sample: Sample) => number;
const perSecond: Figure = (sample) => sample.perSecond;
const p50Ms: Figure = (sample) => sample.p50Ms;
const p99Ms: Figure = (sample) => sample.p99Ms;
const cpuUsPerRequest: Figure = (sample) => sample.cpuUsPerRequest;

/** The median of the ratios of each round, whose measurements are close in time. */
function ratio(samples: Samples, figure: Figure, above: Measured, below: Measured): number {
  const of = ([route, system, connections = FEW]: Measured) =>
    samples.of({ route, connections }, system).map(figure);
  const base = of(below);
  return median(of(above).map((value, round) => value / base[round]!));
}

/** The targets, the measured values, and whether each target is met. */
export function judge(samples: Samples, loads: Load[]): Row[] {
  const compare = (figure: Figure, above: Measured, below: Measured) => ratio(samples, figure, above, below);
  const all = [...ROUTES, ...MIXED];
  return [
    ...all.map((route) => {
      const measured = compare(perSecond, [route, 'ours'], [route, 'fastify-baseline']);
      return atLeast(`${route}: ours : fastify-baseline`, measured, AGAINST_FASTIFY[route]);
    }),
    ...ROUTES.map((route) => {
      const measured = compare(perSecond, [route, 'ours'], [route, 'nest-baseline']);
      return atLeast(`${route}: ours : nest-baseline`, measured, AGAINST_NEST[route]);
    }),
    ...all.map((route) => {
      const measured = compare(perSecond, [route, 'ours'], [route, 'node-limit']);
      return atLeast(`${route}: ours : node-limit`, measured, AGAINST_LIMIT[route]);
    }),
    atMost(
      'get: processor time of ours : nest-limit',
      compare(cpuUsPerRequest, ['get', 'ours'], ['get', 'nest-limit']),
      GET_AGAINST_NEST_LIMIT,
    ),
    ...all.map((route) => {
      const measured = compare(p99Ms, [route, 'ours'], [route, 'fastify-baseline']);
      return atMost(`${route}: p99 of ours : fastify-baseline's`, measured, P99_AGAINST_FASTIFY);
    }),
    ...all.map((route) => {
      const measured = compare(p50Ms, [route, 'ours', ONE], [route, 'fastify-baseline', ONE]);
      return atMost(
        `${route}, one connection: p50 of ours : fastify-baseline's`,
        measured,
        ALONE_AGAINST_FASTIFY,
      );
    }),
    ...ROUTES.map((route) => {
      const measured = compare(perSecond, [route, 'ours', MANY], [route, 'ours', FEW]);
      return atLeast(`${route}: ours, ${MANY} : ${FEW} connections`, measured, MANY_AGAINST_FEW);
    }),
    ...REFUSALS.map((refusal) => {
      const measured = compare(cpuUsPerRequest, [refusal, 'ours'], ['get', 'ours']);
      return atMost(`${refusal}: processor time : that of our get`, measured, REFUSAL_AGAINST_GET);
    }),
    ...ROUTES.map((route) => {
      const measured = compare(perSecond, [route, 'embedded'], [route, 'embedded-baseline']);
      return atLeast(`${route}: embedded : embedded-baseline`, measured, EMBEDDED_AGAINST_BASELINE);
    }),
    residentRow(samples, loads),
    failedRow(samples, loads),
    {
      what: 'warnings logged by ours meanwhile',
      measured: String(
        loads.flatMap((load) => samples.of(load, 'ours')).reduce((sum, { warnings }) => sum + warnings, 0),
      ),
      target: '0',
    },
  ];
}

function atLeast(what: string, measured: number, target: number): Row {
  return { what, measured: measured.toFixed(2), target: `≥ ${target}`, isMet: measured >= target };
}

function atMost(what: string, measured: number, target: number): Row {
  return { what, measured: measured.toFixed(2), target: `≤ ${target}`, isMet: measured <= target };
}

/** The median memory of the service under the load with the highest one. */
function residentRow(samples: Samples, loads: Load[]): Row {
  const mbs = loads
    .filter(({ connections }) => connections === FEW)
    .map((load) => samples.median(load, 'ours', ({ residentMb }) => residentMb));
  return atMost(`resident memory of ours, ${FEW} connections, MB`, Math.max(...mbs), RESIDENT_MB);
}

/** The failures of `--quick`, one line each. */
export function broken(samples: Samples, loads: Load[]): string[] {
  const lines = ROUTES.flatMap((route) => [
    tooSlow(samples, route, 'fastify-baseline', QUICK_AGAINST_FASTIFY),
    tooSlow(samples, route, 'nest-baseline', QUICK_AGAINST_NEST),
  ]);
  const { measured, isMet } = failedRow(samples, loads);
  return [...lines, isMet ? undefined : `failed: ${measured}`].filter((line) => line !== undefined);
}

function tooSlow(
  samples: Samples,
  route: (typeof ROUTES)[number],
  peer: SystemName,
  bound: number,
): string | undefined {
  const measured = ratio(samples, perSecond, [route, 'ours'], [route, peer]);
  // NaN, from a round without responses, is a failure too.
  return measured >= bound ? undefined : `${route}: ours is ${measured.toFixed(2)} × ${peer}, below ${bound}`;
}

function failedRow(samples: Samples, loads: Load[]): Row {
  const failed = loads.flatMap((load) => SYSTEMS.map((system) => samples.failed(load, system)));
  const sum = failed.reduce((total, count) => total + count, 0);
  return { what: 'requests that failed, all systems', measured: String(sum), target: '0', isMet: sum === 0 };
}
