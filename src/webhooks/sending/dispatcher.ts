import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Clock } from '../../platform/common/time.js';
import { Metrics } from '../../platform/telemetry/metrics/metrics.js';
import { SecretBox } from '../secrets/secret-box.js';
import type { WebhookEntity } from '../webhook.entity.js';
import { ATTEMPT_ERRORS, isDelivered, type Outcome } from './outcome.js';
import { Sender } from './sender.js';
import { signedMessage } from './signature.js';

/** Where an event is sent, and what signs it. */
export type Endpoint = Pick<WebhookEntity, 'id' | 'url' | 'secret' | 'oldSecret' | 'oldSecretEndsAt'>;

/** Sends one event to a webhook, signed with its secrets. */
@Injectable()
export class Dispatcher {
  private readonly attempts: Counter<'outcome'> | undefined;

  constructor(
    private readonly sender: Sender,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    @Inject(Metrics) metrics: Metrics | null,
  ) {
    this.attempts = metrics?.counter(
      'webhook_attempts_total',
      'Attempts to deliver an event, by outcome; refused: an answer other than 2xx.',
      ['outcome'],
    );
    // Every series starts at zero, because Prometheus sees no increase from an absent series.
    for (const outcome of ['delivered', 'refused', ...ATTEMPT_ERRORS]) this.attempts?.inc({ outcome }, 0);
  }

  /** @throws Error where a secret cannot be read */
  async dispatch(
    endpoint: Endpoint,
    event: { id: string; json: string },
    withinMs: number,
  ): Promise<Outcome> {
    const nowMs = this.clock.nowMs();
    const message = signedMessage(endpoint.url, event, this.secretsOf(endpoint, nowMs), nowMs);
    const outcome = await this.sender.send(message, withinMs);
    this.attempts?.inc({ outcome: outcome.error ?? (isDelivered(outcome) ? 'delivered' : 'refused') });
    return outcome;
  }

  /** The secrets that sign now, the newest first. */
  private secretsOf({ id, secret, oldSecret, oldSecretEndsAt }: Endpoint, nowMs: number): string[] {
    const isOldLive = oldSecret !== null && oldSecretEndsAt !== null && oldSecretEndsAt.getTime() > nowMs;
    return [secret, ...(isOldLive ? [oldSecret] : [])].map((kept) => this.secrets.open(kept, id));
  }
}
