import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { isPlan, limitsOf, type Plan } from '../plans.js';
import type { ApiKeyEntity, KeyLastUsedEntity } from './api-key.entity.js';
import { toApiKey, toCallerKey } from './api-key.js';
import { LastUse } from './lookup/last-use.js';
import type { ApiKeysRepository } from './api-keys.repository.js';

Logger.overrideLogger(false);

const NOW_MS = Date.UTC(2026, 10, 20);

const rowWith = (changes: Partial<ApiKeyEntity>) =>
  ({ id: 'one', plan: 'free', bannedUntil: null, ...changes }) as ApiKeyEntity;

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

it('a key with an unknown plan is shown without limits, and is not accepted as a caller', () => {
  const row = rowWith({ plan: 'gold' as ApiKeyEntity['plan'] });
  expect(toApiKey(row, NOW_MS)).toMatchObject({ id: 'one', plan: 'gold', perMinute: null, perDay: null });
  expect(toCallerKey(row)).toBeUndefined();
});

it('a key shows the end of a ban only while the ban is in force', () => {
  const bannedUntil = new Date(NOW_MS);
  const row = rowWith({ bannedUntil, banDurationMs: 600_000 });
  expect(toApiKey(row, NOW_MS - 1).bannedUntil).toBe(bannedUntil);
  expect(toApiKey(row, NOW_MS).bannedUntil).toBeNull();
  expect(toCallerKey(row)?.ban).toEqual({ untilMs: NOW_MS, durationMs: 600_000 });
});

describe('the last use of keys', () => {
  it('is written once per minute and key, and is bounded without a database', async () => {
    let isAway = true;
    const written: string[] = [];
    const lastUse = new LastUse(new BackgroundTasks(), {
      recordUse: (uses: readonly KeyLastUsedEntity[]) => {
        if (isAway) return Promise.reject(new Error('away'));
        written.push(...uses.map(({ keyId }) => keyId));
        return Promise.resolve();
      },
    } as unknown as ApiKeysRepository);
    for (let minute = 0; minute < 3; minute += 1) {
      for (let key = 0; key < 100_500; key += 1) lastUse.note(`key ${key}`, NOW_MS + minute * 60_000);
      await expect(lastUse.write()).rejects.toThrow('away');
    }
    isAway = false;
    await lastUse.write();
    expect(written).toHaveLength(100_000);
    lastUse.note('key 99999', NOW_MS + 2 * 60_000 + 1);
    await lastUse.write();
    expect(written).toHaveLength(100_000);
  });

  it('of an earlier minute is kept when a write fails', async () => {
    const written = new Map<string, number>();
    const writes = [Promise.reject(new Error('away')), Promise.resolve(), Promise.resolve()];
    const lastUse = new LastUse(new BackgroundTasks(), {
      recordUse: async (uses: readonly KeyLastUsedEntity[]) => {
        await writes.shift();
        for (const { keyId, minute } of uses) written.set(keyId, minute.getTime());
      },
    } as unknown as ApiKeysRepository);
    lastUse.note('early', NOW_MS);
    lastUse.note('both', NOW_MS);
    lastUse.note('both', NOW_MS + 60_000);
    await expect(lastUse.write()).rejects.toThrow('away');
    await lastUse.write();
    const minuteMs = NOW_MS - (NOW_MS % 60_000);
    expect(Object.fromEntries(written)).toEqual({ early: minuteMs, both: minuteMs + 60_000 });
  });
});
