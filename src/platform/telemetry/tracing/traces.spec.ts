import { expect, it } from '@jest/globals';
import { createSampler } from './traces.js';

it.each([
  ['always_on', 'AlwaysOnSampler'],
  ['always_off', 'AlwaysOffSampler'],
  ['traceidratio', 'TraceIdRatioBased{0.1}'],
  [
    'parentbased_always_on',
    'ParentBased{root=AlwaysOnSampler, remoteParentSampled=AlwaysOnSampler, remoteParentNotSampled=AlwaysOffSampler, localParentSampled=AlwaysOnSampler, localParentNotSampled=AlwaysOffSampler}',
  ],
] as const)('the sampler %s is %s', (name, description) => {
  expect(createSampler(name, 0.1).toString()).toBe(description);
});

it.each([
  ['parentbased_always_off', 'root=AlwaysOffSampler'],
  ['parentbased_traceidratio', 'root=TraceIdRatioBased{0.1}'],
] as const)('the sampler %s follows the caller, and has %s without one', (name, root) => {
  expect(createSampler(name, 0.1).toString()).toContain(`ParentBased{${root}, `);
});
