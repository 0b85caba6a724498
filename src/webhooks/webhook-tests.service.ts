import { randomUUID } from 'node:crypto';
import { ConflictException, Inject, Injectable } from '@nestjs/common';
import type { CallerKey } from '../auth/caller-key.js';
import { eventIdOf } from '../events/feed/event-id.js';
import { overloaded } from '../platform/common/errors/common.errors.js';
import { stringifyJson } from '../platform/common/json.js';
import { Clock } from '../platform/common/time.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { DeliveriesRepository } from './delivery/deliveries.repository.js';
import { Dispatcher } from './sending/dispatcher.js';
import type { Outcome } from './sending/outcome.js';
import { WebhooksService } from './webhooks.service.js';

const TEST_MS = 5_000;
/** Longer than a test with its statements: a killed replica holds up the next test for so long. */
const GUARD_MS = 8_000;
/** The most tests of a process at once. */
const MAX_TESTS = 64;

/** Sends test events, so that a partner sees at once what its endpoint does. */
@Injectable()
export class WebhookTestsService {
  private underWay = 0;

  constructor(
    private readonly webhooks: WebhooksService,
    private readonly repository: DeliveriesRepository,
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Sends one event `webhook.test`, whatever the state of the webhook. Its place and its failures stay as they are.
   * @throws ApiError `webhook_not_found`, `service_unavailable`
   * @throws ConflictException while another test of the webhook runs, and where the service sends nothing
   */
  async test(caller: CallerKey, id: string): Promise<Outcome> {
    const webhook = await this.webhooks.get(caller, id);
    if (!this.config.webhooks.delivery)
      throw new ConflictException('This service sends no events: WEBHOOK_DELIVERY is false.');
    if (this.underWay >= MAX_TESTS) throw overloaded();
    this.underWay += 1;
    try {
      if (!(await this.repository.beginTest(id, GUARD_MS)))
        throw new ConflictException('A test of this webhook is under way. Please wait for its end.');
      const at = new Date(this.clock.nowMs());
      const eventId = eventIdOf(randomUUID(), 0, at);
      const data = { keyId: webhook.keyId, webhookId: id };
      const json = stringifyJson({ id: eventId, type: 'webhook.test', timestamp: at, data });
      const outcome = await this.dispatcher.dispatch(webhook, { id: eventId, json }, TEST_MS);
      await this.repository.endTest(id);
      return outcome;
    } finally {
      this.underWay -= 1;
    }
  }
}
