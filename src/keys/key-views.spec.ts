import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { ApiKey, KeyEvent } from '../auth/keys/api-key.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { Page } from '../platform/common/paging.js';
import { Clock } from '../platform/common/time.js';
import { ENTITY_TAG } from '../platform/http/responses/etag.js';
import { KeyUse } from '../rate-limit/usage/key-use.js';
import { KeyViews } from './key-views.js';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const USED_AT = new Date(NOW_MS - 5);

const keyWith = (columns: Partial<ApiKey>) =>
  ({ name: 'feed', plan: 'free', perMinute: null, perDay: null, access: 'read', ...columns }) as ApiKey;

describe('KeyViews', () => {
  let views: KeyViews;
  const lastUses = jest.fn<KeyUse['lastUses']>();

  beforeEach(async () => {
    lastUses.mockReset().mockResolvedValue(new Map([['used', USED_AT]]));
    const module = await Test.createTestingModule({
      providers: [
        KeyViews,
        {
          provide: KeyUse,
          useValue: {
            lastUses,
            usesDeprecated: (uses: boolean) => ({ uses }),
          },
        },
        {
          provide: ApiKeysService,
          useValue: { namesOfActors: () => Promise.resolve(new Map([['used', 'root']])) },
        },
        { provide: Clock, useValue: { nowMs: () => NOW_MS } },
      ],
    }).compile();
    views = module.get(KeyViews);
  });

  it('show the limits of the plan and the last use of each key', async () => {
    const page = new Page([keyWith({ id: 'used', plan: 'pro' }), keyWith({ id: 'unused' })], 'cursor');
    const { items, nextCursor } = await views.page(page);
    expect(items).toMatchObject([
      { id: 'used', perMinute: 300, perDay: 10_000, state: 'active', lastUsedAt: USED_AT },
      { id: 'unused', perMinute: 60, lastUsedAt: null },
    ]);
    expect(nextCursor).toBe('cursor');
  });

  it('show a key with a plan of a later release without limits', async () => {
    const row = keyWith({ id: 'one', plan: 'gold' as ApiKey['plan'] });
    expect(await views.one(row)).toMatchObject({ id: 'one', perMinute: null, perDay: null });
  });

  it.each([
    ['in force', 1, 'banned'],
    ['over', 0, 'active'],
  ])('show a ban only while it lasts: one that is %s', async (_what, afterMs, state) => {
    const bannedUntil = new Date(NOW_MS + afterMs);
    const shown = await views.one(keyWith({ bannedUntil }));
    expect(shown).toMatchObject({ state, bannedUntil: state === 'banned' ? bannedUntil : null });
  });

  it('show a secret with its key, and not in its tag', async () => {
    const key = keyWith({ id: 'used' });
    const rotated = await views.rotated('used', () => Promise.resolve({ key, secret: 'ask_secret' }));
    expect(rotated).toMatchObject({ id: 'used', key: 'ask_secret', lastUsedAt: USED_AT });
    expect(rotated[ENTITY_TAG]()).toBe((await views.one(key))[ENTITY_TAG]());
  });

  it('read nothing once a secret is stored, because a failure would lose it', async () => {
    lastUses.mockRejectedValue(new Error('the database is away'));
    const key = keyWith({ id: 'new' });
    expect(views.created({ key, secret: 'ask_secret' })).toMatchObject({
      id: 'new',
      key: 'ask_secret',
      lastUsedAt: null,
    });
    const rotate = jest.fn(() => Promise.resolve({ key, secret: 'ask_secret' }));
    await expect(views.rotated('new', rotate)).rejects.toThrow('the database is away');
    expect(rotate).not.toHaveBeenCalled();
  });

  it('give a precondition the key as it is shown, without its last use', () => {
    const seen: (object | undefined)[] = [];
    views.checking((current) => void seen.push(current))(keyWith({ id: 'used', plan: 'pro' }));
    expect(seen).toMatchObject([{ id: 'used', perMinute: 300, lastUsedAt: null }]);
  });

  it('ask the usage for keys that call deprecated operations, where a query does', () => {
    expect(views.filterFrom({ q: 'x', limit: 3 })).toEqual({ q: 'x' });
    expect(views.filterFrom({ usesDeprecated: 'false' })).toEqual({ condition: { uses: false } });
  });

  it('name the keys that did something', async () => {
    const events = ['used', 'command'].map((actor) => ({ id: 1n, actor }) as KeyEvent);
    const { items } = await views.events(new Page(events, undefined));
    expect(items.map(({ actorName }) => actorName)).toEqual(['root', null]);
  });
});
