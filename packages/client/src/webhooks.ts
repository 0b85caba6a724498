import { parseJson } from './json.js';
import type { SentEvent } from './shapes.js';

/** A message that is older, or whose sender's clock is that far off, is refused: it may be a replay. */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';

/** The headers of a request: of the Fetch API, or of Node with names in lower case. */
type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

/** The message is not from the store, is changed, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * The event of a message to a webhook, once its signature is checked (Standard Webhooks), with exact integers. `body`: the bytes of the
 * request as they came, not parsed JSON. `secret`: of the webhook, or several during a rotation. Answer 2xx when it resolves and the event is kept;
 * the same event may come again, so remember its `id`.
 *
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { nowMs = Date.now() }: { nowMs?: number } = {},
): Promise<SentEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('a header of the signature is missing');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookVerificationError('the message is too old, or the clock is wrong');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const keys = await Promise.all([secret].flat().map(importSecret));
  for (const signature of signatures.split(' ').map(signatureBytes))
    for (const key of keys)
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return parseJson(new TextDecoder().decode(bytes)) as SentEvent;
  throw new WebhookVerificationError('no signature is of this secret');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return Array.isArray(value) ? value[0] : (value ?? undefined);
}

function importSecret(secret: string) {
  const bytes = secret.startsWith(SECRET_PREFIX)
    ? base64Bytes(secret.slice(SECRET_PREFIX.length))
    : undefined;
  if (!bytes || bytes.length === 0) throw new TypeError('the secret of a webhook begins with whsec_');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function signatureBytes(text: string) {
  const [version, signature = ''] = text.split(',');
  return version === 'v1' ? base64Bytes(signature) : undefined;
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
