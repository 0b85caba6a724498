import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Lifecycle } from '../common/lifecycle.js';
import { Repeated } from '../common/repeated.js';
import { CallerCache } from './caller-cache.js';
import { KeyEventsRepository, type KeyEventRow } from './key-events.repository.js';

/** A change is felt by every replica within a second. */
const POLL_EVERY_MS = 300;
/** How far back each look goes: a transaction may commit an event this long after it was dated. */
const OVERLAP_SECONDS = 10;

/** Makes this replica forget what it knows of a key as soon as a command, or another replica, has changed it. */
@Injectable()
export class KeyEventsWatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('KeyEvents');
  private seen = new Set<bigint>();
  private readonly rounds = new Repeated(POLL_EVERY_MS, () => this.look());
  private isFailing = false;

  constructor(
    private readonly events: KeyEventsRepository,
    private readonly cache: CallerCache,
    private readonly lifecycle: Lifecycle,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private take({ key_id: keyId, kind }: KeyEventRow): void {
    this.cache.forget(keyId);
    if (kind === 'unbanned') this.logger.log({ keyId }, 'lifted the ban of a key');
  }

  private async look(): Promise<void> {
    if (this.lifecycle.state === 'starting') return;
    try {
      const rows = await this.events.recent(OVERLAP_SECONDS);
      for (const row of rows) if (!this.seen.has(row.id)) this.take(row);
      this.seen = new Set(rows.map(({ id }) => id));
      this.isFailing = false;
    } catch (error) {
      // A cached key is not trusted for longer than a few seconds, so nothing goes wrong meanwhile.
      if (!this.isFailing) this.logger.warn({ err: error }, 'cannot look for changes of keys');
      this.isFailing = true;
    }
  }
}
