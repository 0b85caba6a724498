import type { Row } from '../report.js';
import { median } from '../support.js';
import type { Load, Sample, Samples } from './rounds.js';
import type { SystemName } from './systems.js';
import { REFUSALS, ROUTES, type Route } from './workloads.js';

const FEW = 32;
const MANY = 256;
const AGAINST_FLOOR: Record<(typeof ROUTES)[number], number> = { list: 1, get: 0.95, create: 0.95 };
const AGAINST_USUAL: Record<(typeof ROUTES)[number], number> = { list: 3, get: 4.5, create: 4.5 };
const REFUSAL_AGAINST_GET = 2;

/** Below these, `--quick` fails: far enough from the targets that a busy machine does not get there. */
const QUICK_AGAINST_FLOOR = 0.6;
const QUICK_AGAINST_USUAL = 2;

type Measured = [route: Route, system: SystemName, connections?: number];
type Figure = (sample: Sample) => number;
const perSecond: Figure = (sample) => sample.perSecond;
const p99Ms: Figure = (sample) => sample.p99Ms;

/** Each round's ratio is of neighbours in time; the median of those is what is judged. */
function ratio(samples: Samples, figure: Figure, above: Measured, below: Measured): number {
  const of = ([route, system, connections = FEW]: Measured) =>
    samples.of({ route, connections }, system).map(figure);
  const base = of(below);
  return median(of(above).map((value, round) => value / base[round]!));
}

/** What was to be reached, and whether it was. */
export function judge(samples: Samples, loads: Load[]): Row[] {
  const atLeast = (what: string, measured: number, target: number): Row => ({
    what,
    measured: measured.toFixed(2),
    target: `≥ ${target}`,
    isMet: measured >= target,
  });
  return [
    ...ROUTES.flatMap((route) => {
      const against = (peer: SystemName) => ratio(samples, perSecond, [route, 'ours'], [route, peer]);
      const p99 = ratio(samples, p99Ms, [route, 'ours'], [route, 'floor']);
      return [
        atLeast(`${route}: ours : floor`, against('floor'), AGAINST_FLOOR[route]),
        atLeast(`${route}: ours : usual`, against('usual'), AGAINST_USUAL[route]),
        {
          what: `${route}: p99 of ours : floor's`,
          measured: p99.toFixed(2),
          target: '≤ 1',
          isMet: p99 <= 1,
        },
      ];
    }),
    ...REFUSALS.map((refusal) => {
      const measured = ratio(samples, perSecond, [refusal, 'ours'], ['get', 'ours']);
      return atLeast(`${refusal} : get, both ours`, measured, REFUSAL_AGAINST_GET);
    }),
    ...ROUTES.map((route) => {
      const measured = ratio(samples, perSecond, [route, 'ours', MANY], [route, 'ours', FEW]);
      return atLeast(`${route}: ours, ${MANY} : ${FEW} connections`, measured, 1);
    }),
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

/** What `--quick` calls broken, one line each. */
export function broken(samples: Samples, loads: Load[]): string[] {
  const lines = ROUTES.flatMap((route) => [
    tooSlow(samples, route, 'floor', QUICK_AGAINST_FLOOR),
    tooSlow(samples, route, 'usual', QUICK_AGAINST_USUAL),
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
  // NaN, where nothing was answered, is broken as well.
  return measured >= bound ? undefined : `${route}: ours is ${measured.toFixed(2)} × ${peer}, below ${bound}`;
}

function failedRow(samples: Samples, loads: Load[]): Row {
  const systems: SystemName[] = ['floor', 'usual', 'ours', 'embedded'];
  const failed = loads.flatMap((load) => systems.map((system) => samples.failed(load, system)));
  const sum = failed.reduce((total, count) => total + count, 0);
  return { what: 'requests that failed, all systems', measured: String(sum), target: '0', isMet: sum === 0 };
}
