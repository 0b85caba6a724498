import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import type { TraceSampler } from '../../config/settings.js';
import { createSampler } from './otlp-traces.js';

const TRACES = 1_000;
const traceIdOf = (index: number) => hash('md5', String(index));

/** The number of traced requests of a thousand. `callerSamples` is the caller's decision for its own trace. */
function traced(name: TraceSampler, share: number, callerSamples?: boolean): number {
  const sampler = createSampler(name, share);
  const indexes = Array.from({ length: TRACES }, (_, index) => index);
  return indexes.filter((index) => {
    const traceId = traceIdOf(index);
    const traceFlags = callerSamples ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const parent = { traceId, spanId: '00f067aa0ba902b7', traceFlags, isRemote: true };
    const context = callerSamples === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const { decision } = sampler.shouldSample(context, traceId, 'GET', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }).length;
}

describe('createSampler', () => {
  it.each([
    ['always_on', 0, 1000, 1000, 1000],
    ['always_off', 1, 0, 0, 0],
    ['parentbased_always_on', 0, 1000, 1000, 0],
    ['parentbased_always_off', 1, 0, 1000, 0],
    ['traceidratio', 0, 0, 0, 0],
    ['traceidratio', 1, 1000, 1000, 1000],
    ['parentbased_traceidratio', 0, 0, 1000, 0],
    ['parentbased_traceidratio', 1, 1000, 1000, 0],
  ] as const)(
    '%s with %d samples %d of a thousand, %d when callers sample, %d when they do not',
    (name, share, alone, yes, no) => {
      expect([traced(name, share), traced(name, share, true), traced(name, share, false)]).toEqual([
        alone,
        yes,
        no,
      ]);
    },
  );

  it('samples approximately the configured share', () => {
    const tenth = traced('parentbased_traceidratio', 0.1);
    expect(tenth).toBeGreaterThan(50);
    expect(tenth).toBeLessThan(200);
  });
});
