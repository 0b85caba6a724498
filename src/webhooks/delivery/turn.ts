import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { ApiKeysService } from '../../auth/keys/api-keys.service.js';
import { EventsService, type FollowingEvents, type ShownEvent } from '../../events/events.service.js';
import { Clock } from '../../platform/common/time.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { Dispatcher } from '../sending/dispatcher.js';
import { isDelivered } from '../sending/outcome.js';
import { waitMsAfter } from '../sending/retry.js';
import { mayHaveWebhooks } from '../webhook-bounds.js';
import { type ClaimedWebhook, DeliveriesRepository, type Progress } from './deliveries.repository.js';

/** How long an attempt may take. */
const ATTEMPT_MS = 15_000;
/** A webhook that has much to get gives its place back after this time. */
const TURN_MS = 5_000;
/** What a key may see is at most this old, and a second with the statement. */
const PAGE_MS = 800;
const EVENTS_A_PAGE = 20;
/** The wait after a failure of the service itself. */
const TROUBLE_MS = 30_000;
const GONE = 410;

/** What follows a place, as the key sees it until then. */
type TurnPage = FollowingEvents & { endsAtMs: number };

/** Works on one webhook: sends the events that follow its place, in order and one at a time. */
@Injectable()
export class Turn {
  private readonly logger = new Logger('Webhooks');
  private readonly disabled: Counter<'reason'> | undefined;

  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly events: EventsService,
    private readonly keys: ApiKeysService,
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.disabled = metrics?.counter(
      'webhooks_disabled_total',
      'Webhooks that were disabled by their failures.',
      ['reason'],
    );
    for (const reason of ['gone', 'failing']) this.disabled?.inc({ reason }, 0);
  }

  /** Resolves when the webhook is given back; never rejects. `isStopped`: whether the service stops. */
  async take(claimed: ClaimedWebhook, isStopped: () => boolean): Promise<void> {
    const turn = new WebhookTurn(claimed, this.clock.monotonicMs() + TURN_MS, isStopped);
    try {
      let hasMore = true;
      while (hasMore && !this.isOver(turn)) {
        const page = await this.read(turn);
        if (!page) break;
        const outcome = await this.deliver(turn, page);
        if (outcome === 'ended') return;
        hasMore = outcome === 'more';
      }
      await this.repository.giveBack(turn.webhook, turn.progress);
    } catch (error) {
      this.logger.warn(
        { err: error, webhook: claimed.id },
        'a webhook cannot be worked on; it is tried again',
      );
      // Without a database the lease ends by itself.
      await this.repository.giveBack(turn.webhook, turn.progress, TROUBLE_MS).catch(() => undefined);
    }
  }

  private isOver({ endsAtMs, isStopped }: WebhookTurn): boolean {
    return isStopped() || this.clock.monotonicMs() >= endsAtMs;
  }

  /** What follows, as the key sees it now; undefined where it may have no webhook. */
  private async read(turn: WebhookTurn): Promise<TurnPage | undefined> {
    const { keyId, types } = turn.webhook;
    const endsAtMs = this.clock.monotonicMs() + PAGE_MS;
    const access = (await this.keys.accessOf([keyId])).get(keyId);
    if (access === undefined || !mayHaveWebhooks(access)) return undefined;
    const reader = { id: keyId, access };
    const page = await this.events.after(turn.progress.place, reader, types ?? undefined, EVENTS_A_PAGE);
    turn.progress.missed ||= !page.isKept;
    return { ...page, endsAtMs };
  }

  /** Sends the events of a page. `ended`: the webhook is given back, or lost. */
  private async deliver(turn: WebhookTurn, page: TurnPage): Promise<'more' | 'done' | 'ended'> {
    for (const event of page.events) {
      if (this.isOver(turn) || this.clock.monotonicMs() >= page.endsAtMs) return 'more';
      if (!(await this.attempt(turn, event))) return 'ended';
    }
    turn.progress.place = page.next;
    return page.hasMore ? 'more' : 'done';
  }

  /** Sends an event; whether the webhook is still this replica's, and goes on. */
  private async attempt(turn: WebhookTurn, event: ShownEvent): Promise<boolean> {
    const { webhook, progress } = turn;
    const outcome = await this.dispatcher.dispatch(webhook, event, ATTEMPT_MS);
    if (!isDelivered(outcome)) {
      const waitMs = waitMsAfter(webhook.failures + 1, outcome.retryAfterMs);
      const isGone = outcome.status === GONE;
      const { position } = progress.place;
      // It has passed the events before this one that it does not get.
      const place =
        position === event.place.position - 1n ? progress.place : await this.events.placeBefore(event.place);
      const next = { place, missed: progress.missed };
      const reason = await this.repository.failed(webhook, next, outcome, isGone, waitMs);
      if (reason !== null) {
        this.disabled?.inc({ reason });
        this.logger.warn({ webhook: webhook.id, reason }, 'a webhook is disabled');
      }
      return false;
    }
    const next = { place: event.place, missed: progress.missed };
    const changed = await this.repository.delivered(webhook, next, outcome.status);
    if (!changed) return false;
    turn.webhook = changed;
    turn.progress = next;
    return true;
  }
}

/** How far a turn has come. */
class WebhookTurn {
  progress: Progress;

  constructor(
    /** As the database has it. */
    public webhook: ClaimedWebhook,
    readonly endsAtMs: number,
    readonly isStopped: () => boolean,
  ) {
    const place = { position: webhook.position, bits: Number(webhook.positionBits) };
    this.progress = { place, missed: false };
  }
}
