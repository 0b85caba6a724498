import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { PLAN_NAMES, type Plan } from '../auth/plans.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import type { Outcome } from './decision/decision.js';

/** The plan of a decision; `anonymous`: an address. */
type PlanLabel = Plan | 'anonymous';

const OUTCOME_LABEL = { admitted: 'admitted', refused: 'limited', banned: 'banned' } as const;

/** Counts decisions by plan and outcome. */
@Injectable()
export class DecisionMetrics {
  private readonly decisions: Counter<'plan' | 'outcome'> | undefined;

  constructor(@Inject(Metrics) metrics: Metrics | null) {
    this.decisions = metrics?.counter(
      'rate_limit_decisions_total',
      'Requests that were counted or refused. Requests that are not counted are left out.',
      ['plan', 'outcome'],
    );
    // Every series starts at zero, because Prometheus sees no increase from an absent series.
    for (const plan of [...PLAN_NAMES, 'anonymous'])
      for (const outcome of Object.values(OUTCOME_LABEL)) this.decisions?.inc({ plan, outcome }, 0);
  }

  note(plan: PlanLabel, outcome: Outcome): void {
    this.decisions?.inc({ plan, outcome: OUTCOME_LABEL[outcome] });
  }
}
