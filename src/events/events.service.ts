import { Injectable } from '@nestjs/common';
import type { CallerKey } from '../auth/keys/api-key.js';
import { Page } from '../platform/common/paging.js';
import { decodeEventCursor, encodeEventCursor } from './feed/event-cursor.js';
import { beginningOf, endOf, isKept, pageOfRead } from './feed/event-page.js';
import { type EventType, visibleTypes } from './event-types.js';
import { eventExpired } from './events.errors.js';
import { EventsRepository } from './events.repository.js';
import type { StoredEvent } from './feed/stored-event.js';

/** The cursor that names the end of the feed. */
export const LATEST = 'latest';

/** Less than every position. */
const BEFORE_ALL = -1n;

/** The feed as a key sees it. */
@Injectable()
export class EventsService {
  constructor(private readonly repository: EventsRepository) {}

  /**
   * At most `limit` events after `cursor`, the oldest first. Without a cursor it begins with the oldest event that is kept; `latest` is the
   * end of the feed at this moment. `nextCursor` is always there: it passes events that do not match.
   *
   * @throws ApiError `invalid_cursor`, `event_expired`
   */
  async list(
    caller: CallerKey,
    types: readonly EventType[] | undefined,
    limit: number,
    cursor: string | undefined,
  ): Promise<Page<StoredEvent>> {
    if (cursor === LATEST) {
      const end = endOf(await this.repository.feed());
      return new Page([], encodeEventCursor(end), false);
    }
    const held = cursor === undefined ? undefined : decodeEventCursor(cursor);
    const visible = visibleTypes(caller.access, types);
    const read = await this.repository.read(held?.position ?? BEFORE_ALL, limit, visible, caller.id);
    if (held && !isKept(held, read)) throw eventExpired();
    const { items, next, hasMore } = pageOfRead(read, held ?? beginningOf(read.feed), limit);
    return new Page(items, encodeEventCursor(next), hasMore);
  }
}
