import { describe, expect, it } from '@jest/globals';
import { visibleTypes } from './event-types.js';

const TYPES = ['pet.created', 'order.placed', 'key.banned'] as const;

describe('what a key sees', () => {
  it.each([
    ['read', ['pet.created'], ['key.banned']],
    ['order', ['pet.created'], ['order.placed', 'key.banned']],
    ['manage', ['pet.created', 'order.placed'], ['key.banned']],
    ['admin', ['pet.created', 'order.placed', 'key.banned'], []],
  ] as const)('with %s access: %j of all keys, %j of its own', (access, all, own) => {
    expect(visibleTypes(access, TYPES)).toEqual({ all, own });
  });

  it('is never a type that was not asked for', () => {
    expect(visibleTypes('admin', ['order.placed'])).toEqual({ all: ['order.placed'], own: [] });
  });
});
