import { describe, expect, it } from '@jest/globals';
import { isPlan, limitsOf, type Plan } from '../plans.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { changesBetween } from './key-changes.js';
import { keyStateOf } from './api-key.js';
import { toCallerKey } from '../caller-key.js';

const NOW_MS = Date.UTC(2026, 10, 20);

const rowWith = (changes: Partial<ApiKeyEntity>) =>
  ({
    id: 'one',
    name: 'one',
    reference: null,
    plan: 'free',
    access: 'read',
    prefix: 'ask_',
    ...changes,
  }) as ApiKeyEntity;

describe('the limits of a key', () => {
  it.each([
    ['free', null, null, { perMinute: 60, perDay: 1_000 }],
    ['enterprise', 7, 8, { perMinute: 7, perDay: 8 }],
    ['enterprise', null, 8, null],
    ['gold', null, null, null],
    ['toString', null, null, null],
  ])('for the plan %s with %j and %j are %j', (plan, perMinute, perDay, limits) => {
    expect(limitsOf({ plan: plan as Plan, perMinute, perDay })).toEqual(limits);
  });

  it('require a known plan', () => {
    const plans = ['free', 'gold', 'pro', '__proto__', 'business', '', 'enterprise'];
    expect(plans.filter(isPlan)).toEqual(['free', 'pro', 'business', 'enterprise']);
  });
});

it('a key with a plan of a later release is not accepted as a caller', () => {
  const row = rowWith({ plan: 'gold' as ApiKeyEntity['plan'] });
  expect(toCallerKey(Object.assign(row, { secretNumber: 1n, secretEndsAt: null }))).toBeUndefined();
});

it.each<[string, Partial<ApiKeyEntity>]>([
  ['active', { expiresAt: new Date(NOW_MS + 1), bannedUntil: new Date(NOW_MS), banDurationMs: 600_000 }],
  ['banned', { bannedUntil: new Date(NOW_MS + 1), banDurationMs: 600_000 }],
  ['expired', { expiresAt: new Date(NOW_MS), bannedUntil: new Date(NOW_MS + 1) }],
  ['revoked', { expiresAt: new Date(NOW_MS), revokedAt: new Date(NOW_MS) }],
])('a key is %s with %j', (state, columns) => {
  expect(keyStateOf(rowWith(columns), NOW_MS)).toBe(state);
});

it('an event says what changed', () => {
  const before = rowWith({ name: 'a', expiresAt: null });
  const after = rowWith({ name: 'b', expiresAt: new Date(NOW_MS) });
  expect(changesBetween(before, after)).toEqual({
    name: { before: 'a', after: 'b' },
    expiresAt: { before: null, after: '2026-11-20T00:00:00.000Z' },
  });
});
