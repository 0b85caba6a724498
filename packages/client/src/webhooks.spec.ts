import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookVerificationError } from './webhooks.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const NOW_MS = Date.UTC(2026, 10, 20, 12);
const BODY = '{"id":"evt_1","type":"pet.created","data":{"id":9007199254740993,"name":"Ä"}}';
const now = { nowMs: NOW_MS };

function headersFor(secret: string, body = BODY, atMs = NOW_MS) {
  const [id, timestamp] = ['evt_1', String(atMs / 1_000)];
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1a,xx v1,%% v1,${signature}`,
  };
}

describe('a message of a webhook', () => {
  it('is checked against the example of Standard Webhooks', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const at = { nowMs: 1_614_265_330_000 };
    expect(await verifyWebhook('{"test": 2432232314}', headers, SECRET, at)).toEqual({ test: 2_432_232_314 });
  });

  it.each([
    ['a text', BODY, headersFor(SECRET)],
    ['bytes', new TextEncoder().encode(BODY), headersFor(SECRET)],
    ['headers of the Fetch API', BODY, new Headers(headersFor(SECRET))],
  ])('is an event with exact integers, from %s', async (_, body, headers) => {
    const event = await verifyWebhook(body, headers, [OTHER, SECRET], now);
    expect(event.data).toEqual({ id: 9_007_199_254_740_993n, name: 'Ä' });
  });

  it.each([
    ['of another secret', BODY, headersFor(OTHER)],
    ['that is changed', BODY.replace('993', '994'), headersFor(SECRET)],
    ['that is old', BODY, headersFor(SECRET, BODY, NOW_MS - 301_000)],
    ['from the future', BODY, headersFor(SECRET, BODY, NOW_MS + 301_000)],
    ['without a signature', BODY, { ...headersFor(SECRET), 'webhook-signature': undefined }],
    ['with another id', BODY, { ...headersFor(SECRET), 'webhook-id': 'evt_2' }],
  ])('is refused: one %s', async (_, body, headers) => {
    await expect(verifyWebhook(body, headers, SECRET, now)).rejects.toThrow(WebhookVerificationError);
  });

  it('needs a secret of a webhook', async () => {
    await expect(verifyWebhook(BODY, headersFor(SECRET), 'ask_1', now)).rejects.toThrow('begins with whsec_');
  });
});
