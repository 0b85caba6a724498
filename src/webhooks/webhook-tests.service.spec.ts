import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import type { CallerKey } from '../auth/caller-key.js';
import { parseJson } from '../platform/common/json.js';
import { Clock } from '../platform/common/time.js';
import { CONFIG } from '../platform/config/config.js';
import { DeliveriesRepository } from './delivery/deliveries.repository.js';
import { Dispatcher } from './sending/dispatcher.js';
import type { Outcome } from './sending/outcome.js';
import { WebhookTestsService } from './webhook-tests.service.js';
import { WebhooksService } from './webhooks.service.js';

const MOST_AT_ONCE = 64;
const caller = {} as CallerKey;

describe('WebhookTestsService', () => {
  let service: WebhookTestsService;
  let running: Set<string>;
  let answers: ((outcome: Outcome) => void)[];
  let sent: { id: string; json: string }[];
  let delivery: boolean;

  beforeEach(async () => {
    [running, answers, sent, delivery] = [new Set(), [], [], true];
    const repository = {
      beginTest: (id: string) => Promise.resolve(!running.has(id) && Boolean(running.add(id))),
      endTest: (id: string) => Promise.resolve(void running.delete(id)),
    };
    const dispatch = (_: unknown, event: { id: string; json: string }) => {
      sent.push(event);
      return new Promise<Outcome>((resolve) => answers.push(resolve));
    };
    const config = {
      webhooks: {
        get delivery() {
          return delivery;
        },
      },
    };
    const module = await Test.createTestingModule({
      providers: [
        WebhookTestsService,
        { provide: WebhooksService, useValue: { get: () => Promise.resolve({ keyId: 'k' }) } },
        { provide: DeliveriesRepository, useValue: repository },
        { provide: Dispatcher, useValue: { dispatch } },
        { provide: Clock, useValue: { nowMs: () => Date.UTC(2026, 10, 20, 12) } },
        { provide: CONFIG, useValue: config },
      ],
    }).compile();
    service = module.get(WebhookTestsService);
  });

  const answerAll = () => {
    for (const answer of answers.splice(0))
      answer({ status: 204, error: null, durationMs: 7, retryAfterMs: 1 });
  };
  /** Resolves once all that can go on has done so. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('sends a test event, and says what came back', async () => {
    const result = service.test(caller, 'w');
    await turn();
    answerAll();
    expect(await result).toMatchObject({ status: 204, error: null, durationMs: 7 });
    expect(parseJson(Buffer.from(sent[0]!.json))).toEqual({
      id: sent[0]!.id,
      type: 'webhook.test',
      timestamp: '2026-11-20T12:00:00.000Z',
      data: { keyId: 'k', webhookId: 'w' },
    });
    expect(running).toEqual(new Set());
  });

  it('tests a webhook once at a time, and 64 at once', async () => {
    const results = Array.from({ length: MOST_AT_ONCE }, (_, index) => service.test(caller, `w${index}`));
    await turn();
    await expect(service.test(caller, 'other')).rejects.toMatchObject({ code: 'service_unavailable' });
    answerAll();
    await Promise.all(results);

    const first = service.test(caller, 'w');
    await turn();
    await expect(service.test(caller, 'w')).rejects.toMatchObject({ status: 409 });
    answerAll();
    await first;
  });

  it('sends nothing where deliveries are off', async () => {
    delivery = false;
    await expect(service.test(caller, 'w')).rejects.toMatchObject({ status: 409 });
    expect(sent).toEqual([]);
  });
});
