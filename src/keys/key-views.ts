import { Injectable } from '@nestjs/common';
import type { ApiKey, IssuedKey, KeyEvent } from '../auth/keys/api-key.js';
import type { KeyFilter } from '../auth/keys/key-filter.js';
import { ApiKeysService } from '../auth/keys/api-keys.service.js';
import { Clock } from '../platform/common/time.js';
import { Page } from '../platform/common/paging.js';
import type { Precondition } from '../platform/http/responses/preconditions.js';
import { KeyUse } from '../rate-limit/usage/key-use.js';
import { KeyEventDto, type ListKeysQuery } from './dto/key-lists.dto.js';
import { IssuedKeyDto, KeyDto } from './dto/keys.dto.js';

/** Keys and their events as callers and commands see them: with what other features know of them. */
@Injectable()
export class KeyViews {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly use: KeyUse,
    private readonly clock: Clock,
  ) {}

  async one(key: ApiKey): Promise<KeyDto> {
    const [view] = (await this.all([key])) as [KeyDto];
    return view;
  }

  async all(keys: readonly ApiKey[]): Promise<KeyDto[]> {
    const lastUses = await this.use.lastUses(keys.map(({ id }) => id));
    const nowMs = this.clock.nowMs();
    return keys.map((key) => KeyDto.from(key, lastUses.get(key.id) ?? null, nowMs));
  }

  async page({ items, nextCursor }: Page<ApiKey>): Promise<Page<KeyDto>> {
    return new Page(await this.all(items), nextCursor);
  }

  /** A new key with its secret, which is shown this once. It was never used, so nothing is read that could fail and lose the secret. */
  created(issued: IssuedKey): IssuedKeyDto {
    return this.withSecret(issued, null);
  }

  /** A key with its new secret, which is shown this once. The last use is read before `rotate`, because a failure after it would lose the secret. */
  async rotated(id: string, rotate: () => Promise<IssuedKey>): Promise<IssuedKeyDto> {
    const lastUses = await this.use.lastUses([id]);
    return this.withSecret(await rotate(), lastUses.get(id) ?? null);
  }

  private withSecret({ key, secret }: IssuedKey, lastUsedAt: Date | null): IssuedKeyDto {
    return Object.assign(KeyDto.from(key, lastUsedAt, this.clock.nowMs()), { key: secret });
  }

  /** The check of a key before it changes. A precondition ignores the last use, so nothing reads it. */
  checking(check: Precondition): (key: ApiKey) => void {
    return (key) => check(KeyDto.from(key, null, this.clock.nowMs()));
  }

  /** The filters of a query without its paging. */
  filterFrom({ plan, access, state, q, reference, usesDeprecated, order }: ListKeysQuery): KeyFilter {
    const condition =
      usesDeprecated === undefined ? undefined : this.use.usesDeprecated(usesDeprecated === 'true');
    return { plan, access, state, q, reference, condition, order };
  }

  async events({ items, nextCursor }: Page<KeyEvent>): Promise<Page<KeyEventDto>> {
    const names = await this.keys.namesOfActors(items.map(({ actor }) => actor));
    return new Page(
      items.map((event) => KeyEventDto.from(event, names.get(event.actor) ?? null)),
      nextCursor,
    );
  }
}
