import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Access } from '../../auth/access.js';
import { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { EventsService } from '../../events/events.service.js';
import { BackgroundTasks, type PeriodicTask } from '../../platform/common/background-tasks.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { mayHaveWebhooks } from '../webhook-bounds.js';
import { type Candidate, DeliveriesRepository } from './deliveries.repository.js';
import { Places } from './places.js';
import { Turn } from './turn.js';

/** With the settler of the feed, a first attempt comes within 2 s of its event, also when a round fails. */
const ROUND_EVERY_MS = 500;
const CANDIDATES_A_STEP = 200;
/** Reads that share connections with those of requests. */
const READS_AT_ONCE = 16;
/** How long a service that stops waits for the attempts that are under way. */
const STOP_WITHIN_MS = 5_000;

/**
 * Finds the webhooks whose turn it is, and works on as many as have a place. Every replica does; a lease keeps others away. Those that get
 * nothing of what happened pass it at once, without a place.
 */
@Injectable()
export class DeliveryRounds implements BeforeApplicationShutdown {
  private readonly places = new Places();
  private readonly turns = new Set<Promise<void>>();
  private readonly rounds: PeriodicTask | undefined;
  private isStopped = false;

  constructor(
    tasks: BackgroundTasks,
    private readonly repository: DeliveriesRepository,
    private readonly events: EventsService,
    private readonly keys: ApiKeysService,
    private readonly turn: Turn,
    @Inject(CONFIG) config: Config,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    metrics?.gauge(
      'webhook_places',
      'Webhooks that this process works on now.',
      () => this.places.takenCount,
    );
    if (!config.webhooks.delivery) return;
    this.rounds = tasks.every(
      ROUND_EVERY_MS,
      'webhooks cannot be worked on; they are tried again',
      async () => {
        while (await this.step());
      },
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.rounds?.stop();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_WITHIN_MS)));
    await Promise.race([Promise.all(this.turns), timeout]);
    clearTimeout(timer);
  }

  /** Resolves with whether more may wait than it looked at. */
  private async step(): Promise<boolean> {
    if (this.isStopped || !this.places.hasRoom) return false;
    const end = await this.events.end();
    const { fullKeys, hasRoomForFailing } = this.places;
    const candidates = await this.repository.candidates(
      end.position,
      fullKeys,
      hasRoomForFailing,
      CANDIDATES_A_STEP,
    );
    if (candidates.length === 0) return false;
    const deliverable = await this.passOthers(candidates);
    const claimedCount = await this.begin(deliverable);
    const isMoved = claimedCount > 0 || deliverable.length < candidates.length;
    return candidates.length === CANDIDATES_A_STEP && isMoved;
  }

  /** Lets those pass for whom nothing is there; resolves with the others. */
  private async passOthers(candidates: readonly Candidate[]): Promise<Candidate[]> {
    const access = await this.keys.accessOf([...new Set(candidates.map(({ keyId }) => keyId))]);
    // The sweep of keys stops the others.
    const allowed = candidates.filter(({ keyId }) => mayHaveWebhooks(access.get(keyId)));
    // What failed is waited for.
    const deliverable = allowed.filter(({ isFailing }) => isFailing);
    const unknown = allowed.filter(({ isFailing }) => !isFailing);
    while (unknown.length > 0) {
      const looked = await Promise.all(
        unknown
          .splice(0, READS_AT_ONCE)
          .map((candidate) => this.look(candidate, access.get(candidate.keyId))),
      );
      deliverable.push(...looked.filter(({ isWaiting }) => isWaiting).map(({ candidate }) => candidate));
      const passes = looked.filter(({ isWaiting }) => !isWaiting);
      if (passes.length === 0) continue;
      await this.repository.pass(
        passes.map(({ candidate: { id, position }, ...progress }) => ({ id, position, ...progress })),
      );
    }
    return deliverable;
  }

  private async look(candidate: Candidate, access: Access = 'read') {
    const place = { position: candidate.position, bits: Number(candidate.positionBits) };
    const reader = { id: candidate.keyId, access };
    const { events, next, hasMore, isKept } = await this.events.after(
      place,
      reader,
      candidate.types ?? undefined,
      1,
    );
    return { candidate, isWaiting: events.length > 0 || hasMore, place: next, missed: !isKept };
  }

  /** Begins turns, as far as there are places. Resolves with their number. */
  private async begin(candidates: readonly Candidate[]): Promise<number> {
    const taken = new Map<string, () => void>();
    for (const candidate of candidates) {
      const giveBack = this.places.take(candidate);
      if (giveBack) taken.set(candidate.id, giveBack);
    }
    if (taken.size === 0) return 0;
    try {
      const claimed = await this.repository.claim([...taken.keys()], randomUUID());
      for (const webhook of claimed) {
        const giveBack = taken.get(webhook.id);
        taken.delete(webhook.id);
        const turn: Promise<void> = this.turn
          .take(webhook, () => this.isStopped)
          .finally(() => {
            giveBack?.();
            this.turns.delete(turn);
          });
        this.turns.add(turn);
      }
      return claimed.length;
    } finally {
      for (const giveBack of taken.values()) giveBack();
    }
  }
}
