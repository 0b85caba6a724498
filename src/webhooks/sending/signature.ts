import { createHmac } from 'node:crypto';
import { JSON_MEDIA_TYPE } from '../../platform/common/json.js';
import { SECRET_PREFIX } from '../secrets/webhook-secret.js';
import type { Message } from './sender.js';

/** The message of an event as Standard Webhooks has it: each of the secrets signs. */
export function signedMessage(
  url: string,
  { id, json }: { id: string; json: string },
  secrets: readonly string[],
  nowMs: number,
): Message {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${json}`).digest('base64')}`;
  });
  const headers = {
    'content-type': JSON_MEDIA_TYPE,
    'user-agent': 'animal-store-webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
  return { url, headers, body: json };
}
