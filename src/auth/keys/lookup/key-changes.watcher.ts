import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Lifecycle } from '../../../common/lifecycle.js';
import { PeriodicTask } from '../../../common/periodic-task.js';
import { ApiKeysRepository } from '../api-keys.repository.js';
import { IssuedKeys } from './issued-keys.js';
import { KeyLookup } from './key-lookup.js';

/** Every replica applies a change within a second. */
const POLL_EVERY_MS = 300;
/** How far back each poll reads, because a transaction may commit an event this long after its date. */
const OVERLAP_SECONDS = 10;

/** Drops cached keys as soon as a command or another replica has changed them. */
@Injectable()
export class KeyChangesWatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('KeyChanges');
  private seen = new Set<bigint>();
  // Nothing is lost by a failure, because a cached key is trusted for a few seconds only.
  private readonly rounds = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: error }, 'cannot look for changes of keys'),
  );

  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly lookup: KeyLookup,
    private readonly issued: IssuedKeys,
    private readonly lifecycle: Lifecycle,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.rounds.stop();
  }

  private async poll(): Promise<void> {
    if (this.lifecycle.state === 'starting') return;
    const recent = await this.repository.recentEvents(OVERLAP_SECONDS);
    const events = recent.filter(({ id }) => !this.seen.has(id));
    for (const { secretHash } of events) if (secretHash) this.issued.add(secretHash);
    if (events.length > 0) this.lookup.forget(new Set(events.map(({ keyId }) => keyId)));
    for (const { kind, keyId } of events)
      if (kind === 'unbanned') this.logger.log({ keyId }, 'lifted the ban of a key');
    this.seen = new Set(recent.map(({ id }) => id));
  }
}
