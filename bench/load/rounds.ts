import { median } from '../support.js';
import type { Figures } from './generator/generator.js';
import { GeneratorProcess } from './generator/generator-process.js';
import type { Secrets } from './shop-data.js';
import type { System, SystemName } from './systems.js';
import { spentMs } from './backends.js';
import { callsOf, MIXED, REFUSALS, ROUTES, type Route } from './workloads.js';

/** One system under one load in one round. */
export interface Sample {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the system's process, all threads. */
  cpuUsPerRequest: number;
  /** Processor time of the PostgreSQL backends of the system; NaN if none runs on this machine. */
  postgresUsPerRequest: number;
  /** Share of the round in which the main thread collected garbage. */
  gcShare: number;
  residentMb: number;
  /** Warnings in its log, such as the fallback to memory, which would make the measurement invalid. */
  warnings: number;
  failures: Record<string, number>;
}

export interface Load {
  route: Route;
  connections: number;
}

export interface Plan {
  loads: Load[];
  rounds: number;
  warmUpMs: number;
  leadInMs: number;
  durationMs: number;
}

/** One sample per round, by load and system. */
export class Samples {
  private readonly byLoad = new Map<string, Sample[]>();

  add(load: Load, system: SystemName, sample: Sample): void {
    this.byLoad.set(nameOf(load, system), [...this.of(load, system), sample]);
  }

  of(load: Load, system: SystemName): Sample[] {
    return this.byLoad.get(nameOf(load, system)) ?? [];
  }

  median(load: Load, system: SystemName, figure: (sample: Sample) => number): number {
    return median(this.of(load, system).map(figure));
  }

  failed(load: Load, system: SystemName): number {
    return this.of(load, system)
      .flatMap(({ failures }) => Object.values(failures))
      .reduce((sum, count) => sum + count, 0);
  }
}

function nameOf({ route, connections }: Load, system: SystemName): string {
  return `${system} ${route} ${connections}`;
}

/** Measures the systems in turn, in another order each round, so that other load on the machine affects all alike. */
export async function measureRounds(systems: System[], secrets: Secrets, plan: Plan): Promise<Samples> {
  const generator = new GeneratorProcess();
  const samples = new Samples();
  const { leadInMs, durationMs } = plan;
  const take = async (system: System, load: Load, times: { leadInMs: number; durationMs: number }) => {
    const calls = callsOf(load.route, system.name, secrets);
    return measure(generator, system, calls, { connections: load.connections, ...times });
  };
  try {
    for (const load of plan.loads.filter(({ connections }) => connections === plan.loads[0]?.connections)) {
      for (const system of systems.filter(({ name }) => answers(name, load))) {
        await take(system, load, { leadInMs: 0, durationMs: plan.warmUpMs });
      }
    }
    for (let round = 1; round <= plan.rounds; round += 1) {
      console.error(`round ${round} of ${plan.rounds}`);
      for (const load of plan.loads) {
        for (const system of shuffled(systems.filter(({ name }) => answers(name, load)))) {
          samples.add(load, system.name, await take(system, load, { leadInMs, durationMs }));
        }
      }
    }
  } finally {
    generator.stop();
  }
  return samples;
}

/** Whether a system is measured under a load, because a target compares them. */
export function answers(system: SystemName, { route, connections }: Load): boolean {
  // The baselines have other refusals or none.
  if (isOneOf(REFUSALS, route)) return system === 'ours';
  if (connections !== FEW) return system === 'ours' || system === 'fastify-baseline';
  if (isOneOf(MIXED, route)) return ['ours', 'fastify-baseline', 'node-limit', 'nest-limit'].includes(system);
  return true;
}

function isOneOf(routes: readonly Route[], route: Route): boolean {
  return routes.includes(route);
}

/** Measures one system under one load once. */
export async function measure(
  generator: GeneratorProcess,
  system: System,
  calls: Parameters<GeneratorProcess['run']>[0],
  job: { connections: number; leadInMs: number; leadInCalls?: number; durationMs: number },
): Promise<Sample> {
  const read = () => Promise.all([system.usage(), system.backendTimes()] as const);
  let before = read();
  const figures: Figures = await generator.run(calls, { port: system.port, leadInCalls: 0, ...job }, () => {
    before = read();
  });
  const [[from, backendsFrom], [to, backendsTo]] = [await before, await read()];
  return {
    perSecond: figures.answered / figures.seconds,
    p50Ms: figures.p50Ms,
    p99Ms: figures.p99Ms,
    cpuUsPerRequest: ((to.cpuMs - from.cpuMs) * 1000) / figures.answered,
    postgresUsPerRequest: (spentMs(backendsFrom, backendsTo) * 1000) / figures.answered,
    gcShare: (to.gcMs - from.gcMs) / (figures.seconds * 1000),
    residentMb: to.residentMb,
    warnings: to.logLines - from.logLines,
    failures: figures.failures,
  };
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

export const ONE = 1;
export const FEW = 32;
export const MANY = 256;

const loadsOf = (routes: readonly Route[], connections: number): Load[] =>
  routes.map((route) => ({ route, connections }));

export const ALL_LOADS: Load[] = [
  ...loadsOf([...ROUTES, ...MIXED], FEW),
  ...loadsOf(REFUSALS, FEW),
  ...loadsOf([...ROUTES, ...MIXED], ONE),
  ...loadsOf(ROUTES, MANY),
];

export const QUICK_LOADS = loadsOf(ROUTES, FEW);
