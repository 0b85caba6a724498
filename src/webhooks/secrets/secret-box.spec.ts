import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../platform/config/config.js';
import { SecretBox } from './secret-box.js';
import { newWebhookSecret } from './webhook-secret.js';

const [ID, OTHER_ID] = ['0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34', '1b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34'];
const boxWith = (secretsKey?: Buffer) =>
  new SecretBox({ webhooks: { secretsKey } as unknown as Config['webhooks'] });

describe('a secret', () => {
  it('is new each time, in the form of Standard Webhooks', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);

    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(24);
    }
  });
});

describe('the box of secrets', () => {
  const secret = newWebhookSecret();
  const box = boxWith(Buffer.alloc(32, 1));

  it('keeps a secret encrypted, each time otherwise', () => {
    const kept = [box.seal(secret, ID), box.seal(secret, ID)];

    expect(kept[0]).not.toBe(kept[1]);
    expect(kept.join()).not.toContain(secret.slice('whsec_'.length));
    expect(kept.map((text) => box.open(text, ID))).toEqual([secret, secret]);
  });

  it('opens nothing of another webhook, of another key, or changed', () => {
    const kept = box.seal(secret, ID);
    const bytes = Buffer.from(kept.slice('v1.'.length), 'base64');
    bytes[bytes.length - 1]! ^= 1;

    expect(() => box.open(kept, OTHER_ID)).toThrow();
    expect(() => boxWith(Buffer.alloc(32, 2)).open(kept, ID)).toThrow();
    expect(() => boxWith().open(kept, ID)).toThrow('WEBHOOK_SECRETS_KEY is not set');
    expect(() => box.open(`v1.${bytes.toString('base64')}`, ID)).toThrow();
    expect(() => box.open('v1.', ID)).toThrow();
  });

  it('keeps secrets in clear without a key, and reads them with one', () => {
    const kept = boxWith().seal(secret, ID);

    expect(kept).toBe(secret);
    expect(box.open(kept, ID)).toBe(secret);
  });
});
