import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '../secrets/webhook-secret.js';
import { signedMessage } from './signature.js';

const EVENT = { id: 'evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34', json: '{"data":{"id":9007199254740993}}' };

describe('a signed message', () => {
  it('has the signature of Standard Webhooks', () => {
    // The example of the specification.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const event = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', json: '{"test": 2432232314}' };
    const { headers, body } = signedMessage('https://a.example', event, [secret], 1_614_265_330_999);

    expect(headers['webhook-timestamp']).toBe('1614265330');
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    expect(body).toBe(event.json);
  });

  it('is accepted with each of two secrets, and with no other', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const { headers, body } = signedMessage('https://a.example', EVENT, secrets, Date.now());

    for (const secret of secrets) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow();
    expect(() => new Webhook(secrets[0]!).verify(`${body} `, headers)).toThrow();
  });
});
