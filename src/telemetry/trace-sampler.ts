import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { TraceSampler } from '../config/settings.js';

/** Which requests are traced, by OpenTelemetry's own names. `parentbased_…`: as the caller has decided, if it has. */
export function createSampler(name: TraceSampler, share: number): Sampler {
  if (name.startsWith('parentbased_')) return new ParentBasedSampler({ root: plainSampler(name, share) });
  return plainSampler(name, share);
}

function plainSampler(name: TraceSampler, share: number): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler();
  if (name.endsWith('always_off')) return new AlwaysOffSampler();
  return new TraceIdRatioBasedSampler(share);
}
