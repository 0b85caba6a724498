import type { Traces } from '../telemetry/traces.js';
import type { Counters } from './counters.js';
import type { Decision } from './decision.js';

/** The same counters; each decision is told as a step of its request. */
export function tracedCounters(counters: Counters, traces: Traces): Counters {
  return {
    decide: (subject) =>
      traces.step({ name: 'decide limits', factsOf: outcomeOf }, () => counters.decide(subject)),
    peek: (subject) => traces.step({ name: 'peek limits', factsOf: outcomeOf }, () => counters.peek(subject)),
    close: () => counters.close(),
  };
}

function outcomeOf({ outcome }: Decision) {
  return { 'animal_store.limit_outcome': outcome };
}
