import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Clock } from '../../platform/common/time.js';
import { Database } from '../../platform/database/database.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { COMMAND, SERVICE } from '../actor.js';
import type { CallerKey } from '../caller-key.js';
import { ApiKeysRepository, type KeyChange } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeySecretsRepository } from './secrets/key-secrets.repository.js';
import type { Secret } from './secrets/rotation.js';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const PAST = new Date(NOW_MS - 1);
const FUTURE = new Date(NOW_MS + 60_000);

/** Keys and their secrets in memory. */
class FakeKeys {
  readonly rows = new Map<string, ApiKeyEntity>();
  readonly secrets = new Map<bigint, Secret>([[1n, { number: 1n, endsAt: null }]]);
  readonly events: KeyChange[] = [];
  rotations: unknown[][] = [];

  add(id: string, columns: Partial<ApiKeyEntity> = {}): void {
    const nothing = { reference: null, perMinute: null, perDay: null, expiresAt: null, revokedAt: null };
    const noBan = { bannedUntil: null, banDurationMs: null, penaltiesResetAt: null };
    const row = { id, name: id, plan: 'free', access: 'read', prefix: 'ask_00000000', createdAt: PAST };
    this.rows.set(id, { ...row, ...nothing, ...noBan, ...columns } as ApiKeyEntity);
  }

  insert = (columns: Partial<ApiKeyEntity> & { id: string }) => {
    this.add(columns.id, columns);
    return Promise.resolve(this.rows.get(columns.id)!);
  };
  find = (id: string) => Promise.resolve(this.rows.get(id) ?? null);
  lock = ({ changed, acting }: { changed?: string; acting?: string }) =>
    Promise.resolve({
      changed: this.rows.get(changed ?? '') ?? null,
      acting: this.rows.get(acting ?? '') ?? null,
    });
  change = (before: ApiKeyEntity, change: KeyChange) => {
    this.events.push(change);
    const after = Object.assign({}, before, change.columns);
    this.rows.set(before.id, after);
    return Promise.resolve(after);
  };

  secretsRepository = {
    insert: () => Promise.resolve(),
    find: (number: bigint) => Promise.resolve(this.secrets.get(number) ?? null),
    rotate: (...call: unknown[]) => Promise.resolve(void this.rotations.push(call)),
  };
}

describe('ApiKeysService', () => {
  let keys: FakeKeys;
  let service: ApiKeysService;
  const callerOf = (id: string) => ({ id, secretNumber: 1n }) as CallerKey;
  const admin = callerOf('admin');

  beforeEach(async () => {
    keys = new FakeKeys();
    keys.add('admin', { access: 'admin' });
    const module = await Test.createTestingModule({
      providers: [
        ApiKeysService,
        { provide: ApiKeysRepository, useValue: keys },
        { provide: KeySecretsRepository, useValue: keys.secretsRepository },
        { provide: Database, useValue: { transaction: (work: () => Promise<unknown>) => work() } },
        { provide: Clock, useValue: { nowMs: () => NOW_MS } },
      ],
    }).compile();
    service = module.get(ApiKeysService);
  });

  it('issues a key with read access, and shows its secret in the result only', async () => {
    const { key, secret } = await service.create({ name: 'feed', plan: 'pro' }, admin);
    expect(key).toMatchObject({ name: 'feed', plan: 'pro', access: 'read', prefix: secret.slice(0, 12) });
    expect(secret).toMatch(/^ask_[0-9A-Za-z]{49}$/);
    expect(JSON.stringify(await service.get(key.id))).not.toContain(secret);
  });

  it('issues and changes keys with admin access for commands only', async () => {
    const fields = { name: 'root', plan: 'free', access: 'admin' } as const;
    const forbidden = { code: 'insufficient_access' };
    await expect(service.create(fields, admin)).rejects.toMatchObject(forbidden);
    expect(await service.create(fields, COMMAND)).toMatchObject({ key: { access: 'admin' } });
    keys.add('other', { access: 'admin' });
    keys.add('partner');
    for (const change of [
      service.update('other', { name: 'x' }, admin),
      service.update('partner', { access: 'admin' }, admin),
      service.rotate('other', 0, admin),
      service.revoke('other', admin),
      service.unban('other', admin),
    ])
      await expect(change).rejects.toMatchObject(forbidden);
    // Over HTTP such a key rotates itself.
    expect(await service.rotate('admin', 0, admin)).toMatchObject({ key: { id: 'admin' } });
    expect(await service.revoke('other', COMMAND)).toMatchObject({ revokedAt: new Date(NOW_MS) });
  });

  it.each<[string, Partial<ApiKeyEntity>, Date | null, string]>([
    ['has lost its access', { access: 'manage' }, null, 'insufficient_access'],
    ['is revoked', { access: 'admin', revokedAt: PAST }, null, 'invalid_api_key'],
    ['has expired', { access: 'admin', expiresAt: PAST }, null, 'invalid_api_key'],
    ['asks with a secret that has ended', { access: 'admin' }, PAST, 'invalid_api_key'],
  ])('refuses a change by a key that meanwhile %s', async (_what, columns, endsAt, code) => {
    keys.add('admin', columns);
    keys.secrets.set(1n, { number: 1n, endsAt });
    keys.add('partner');
    await expect(service.create({ name: 'x', plan: 'free' }, admin)).rejects.toMatchObject({ code });
    await expect(service.revoke('partner', admin)).rejects.toMatchObject({ code });
    expect([keys.rows.size, keys.events]).toEqual([2, []]);
  });

  it('lets every key rotate itself, with its newest secret', async () => {
    keys.add('partner');
    const rotated = await service.rotate('partner', 5_000, callerOf('partner'));
    expect(rotated.secret).toMatch(/^ask_/);
    expect(keys.rotations).toEqual([['partner', expect.anything(), NOW_MS, 5_000]]);
    keys.secrets.set(1n, { number: 1n, endsAt: FUTURE });
    await expect(service.rotate('partner', 0, callerOf('partner'))).rejects.toMatchObject({
      code: 'outdated_secret',
    });
    expect(keys.rotations).toHaveLength(1);
  });

  it.each([
    ['revoked', { revokedAt: PAST }],
    ['expired', { expiresAt: PAST }],
  ])('does not rotate a key that is %s', async (state, columns) => {
    keys.add('partner', columns);
    const rotated = service.rotate('partner', 0, COMMAND);
    await expect(rotated).rejects.toMatchObject({ code: 'invalid_status_transition' });
    await expect(rotated).rejects.toThrow(state);
  });

  it('brings an expired key back with a later expiry, and a revoked one never', async () => {
    keys.add('partner', { expiresAt: PAST });
    const later = { expiresAt: FUTURE.toISOString() };
    expect(await service.update('partner', later, admin)).toMatchObject({ expiresAt: FUTURE });
    keys.add('partner', { revokedAt: PAST });
    await expect(service.update('partner', later, admin)).rejects.toMatchObject({
      code: 'invalid_status_transition',
    });
    expect(await service.update('partner', { name: 'x' }, admin)).toMatchObject({
      name: 'x',
      revokedAt: PAST,
    });
  });

  it('ends the limits of its own when a key gets a plan that has them', async () => {
    keys.add('partner', { plan: 'enterprise', perMinute: 5, perDay: 6 });
    const ofPlan = { plan: 'pro', perMinute: null, perDay: null };
    expect(await service.update('partner', { plan: 'pro' }, admin)).toMatchObject(ofPlan);
  });

  it('revokes once, so that a repeat changes nothing', async () => {
    keys.add('partner');
    await service.revoke('partner', admin);
    expect(await service.revoke('partner', admin)).toMatchObject({ revokedAt: new Date(NOW_MS) });
    expect(keys.events).toHaveLength(1);
  });

  it('keeps the ban that ends last, and none from before an unban', async () => {
    keys.add('partner');
    await service.recordBan('partner', { untilMs: NOW_MS + 2, durationMs: 2 }, 0);
    await service.recordBan('partner', { untilMs: NOW_MS + 1, durationMs: 1 }, 0);
    expect(keys.rows.get('partner')?.bannedUntil).toEqual(new Date(NOW_MS + 2));
    await service.unban('partner', admin);
    await service.recordBan('partner', { untilMs: NOW_MS + 9, durationMs: 9 }, 0);
    expect(keys.rows.get('partner')).toMatchObject({ bannedUntil: null, banDurationMs: null });
    // The mark of an unban grows, although the clock stands.
    const first = keys.rows.get('partner')!.penaltiesResetAt!;
    await service.unban('partner', admin);
    expect(keys.rows.get('partner')!.penaltiesResetAt!.getTime()).toBe(first.getTime() + 1);
    await service.recordBan('partner', { untilMs: NOW_MS + 9, durationMs: 9 }, first.getTime() + 1);
    expect(keys.events.at(-1)).toMatchObject({ kind: 'banned', actor: SERVICE });
  });

  it('changes nothing where the check of the caller refuses, and knows no other keys', async () => {
    keys.add('partner');
    const refuse = ({ name }: { name: string }) => {
      throw new Error(`not ${name}`);
    };
    await expect(service.revoke('partner', admin, refuse)).rejects.toThrow('not partner');
    expect(keys.events).toEqual([]);
    const missing = { code: 'key_not_found' };
    for (const change of [
      service.get('none'),
      service.revoke('none', admin),
      service.rotate('none', 0, admin),
    ])
      await expect(change).rejects.toMatchObject(missing);
  });
});
