import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { SECRET_PREFIX } from './webhook-secret.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Of a secret that is encrypted. In clear it begins with SECRET_PREFIX. */
const SEALED_PREFIX = 'v1.';

/**
 * Keeps secrets encrypted with WEBHOOK_SECRETS_KEY, each bound to the id of its webhook: `v1.` and nonce, tag and text in base64. Without
 * the setting they are kept in clear. What was kept in clear stays readable.
 */
@Injectable()
export class SecretBox implements OnApplicationBootstrap {
  private readonly logger = new Logger('Webhooks');
  private readonly key: Buffer | undefined;

  constructor(@Inject(CONFIG) { webhooks }: Pick<Config, 'webhooks'>) {
    this.key = webhooks.secretsKey;
  }

  onApplicationBootstrap(): void {
    if (!this.key)
      this.logger.warn('WEBHOOK_SECRETS_KEY is not set: the secrets of webhooks are kept in clear');
  }

  seal(secret: string, webhookId: string): string {
    if (!this.key) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(webhookId));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return SEALED_PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  }

  /** @throws Error for what another key has encrypted, or for the secret of another webhook */
  open(kept: string, webhookId: string): string {
    if (kept.startsWith(SECRET_PREFIX)) return kept;
    if (!this.key) throw new Error('the secret is encrypted, and WEBHOOK_SECRETS_KEY is not set');
    const bytes = Buffer.from(kept.slice(SEALED_PREFIX.length), 'base64');
    const [nonce, tag, text] = [
      bytes.subarray(0, NONCE_BYTES),
      bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
      bytes.subarray(NONCE_BYTES + TAG_BYTES),
    ];
    const decipher = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(webhookId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  }
}
