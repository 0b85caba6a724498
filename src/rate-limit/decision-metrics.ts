import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { PLAN_NAMES, type Plan } from '../auth/plans.js';
import { Metrics } from '../telemetry/metrics.js';
import { CountersWithFallback } from './counters-with-fallback.js';
import { COUNTERS, type Counters } from './counters.js';
import type { Outcome } from './decision.js';

/** Whose plan a decision was taken by; `anonymous`: an address. */
type PlanLabel = Plan | 'anonymous';

const OUTCOME_LABEL = { admitted: 'admitted', refused: 'limited', banned: 'banned' } as const;

/** Counts decisions by plan and outcome, and shows whether they are taken in memory because Redis is away. */
@Injectable()
export class DecisionMetrics {
  private readonly decisions: Counter<'plan' | 'outcome'> | undefined;

  constructor(@Inject(Metrics) metrics: Metrics | null, @Inject(COUNTERS) counters: Counters) {
    this.decisions = metrics?.counter(
      'rate_limit_decisions_total',
      'Requests that were counted or refused; what is free of charge is not among them.',
      ['plan', 'outcome'],
    );
    // At zero from the start: an increase from nothing is none to Prometheus.
    for (const plan of [...PLAN_NAMES, 'anonymous'])
      for (const outcome of Object.values(OUTCOME_LABEL)) this.decisions?.inc({ plan, outcome }, 0);
    metrics?.gauge(
      'rate_limit_fallback',
      '1 while limits are decided in memory because Redis is away.',
      () => (counters instanceof CountersWithFallback && counters.isOnFallback ? 1 : 0),
    );
  }

  note(plan: PlanLabel, outcome: Outcome): void {
    this.decisions?.inc({ plan, outcome: OUTCOME_LABEL[outcome] });
  }
}
