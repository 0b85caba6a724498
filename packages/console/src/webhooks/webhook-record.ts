import type { StoreEvent, Webhook, WebhookState, WebhookTest } from 'animal-store-client';
import type { RecordOf } from '../api/records';

export type WebhookRecord = RecordOf<Webhook> & Partial<Pick<RecordOf<WebhookState>, 'waiting'>>;

export const LABELS = { url: 'Address', types: 'Events' };

export const EVENT_TYPES: StoreEvent['type'][] = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'order.placed',
  'order.approved',
  'order.delivered',
  'order.cancelled',
  'order.expired',
  'key.quota_reached',
  'key.banned',
  'webhook.disabled',
];

const ERROR_WORDS: Record<NonNullable<Webhook['lastError']>, string> = {
  timeout: 'it did not answer in time',
  dns: 'its name was not found',
  blocked_address: 'its address is not a public one',
  connect: 'no connection was made',
  tls: 'its certificate or encryption failed',
  bad_response: 'its answer was not HTTP, or was cut off',
};

const REASON_WORDS: Record<NonNullable<Webhook['disabledReason']>, string> = {
  gone: 'the endpoint answered 410, which means for good',
  failing: 'it only failed for five days',
  key: 'its key is revoked, has expired or lost its access',
  caller: 'it was switched off',
};

export const typesWords = (types: Webhook['types']) =>
  types === null ? 'all that the key sees' : types.join(', ');

/** The service counts up to this many. */
const MOST_COUNTED = 10_000;

/** How many events wait, such as “1 event”. */
export function waitingWords(waiting: WebhookRecord['waiting']): string {
  const count = Number(waiting ?? 0);
  const events = count === 1 ? 'event' : 'events';
  return `${count.toLocaleString('en')} ${events}${count >= MOST_COUNTED ? ' or more' : ''}`;
}

/** What came back, in words. */
export const answerWords = ({ status, error }: Pick<WebhookTest, 'status' | 'error'>) =>
  error === null ? `it answered ${String(status)}` : ERROR_WORDS[error];

/** How a webhook fares, as a sentence. */
export function stateSentence(webhook: WebhookRecord): string {
  const { status, disabledReason, failingSince, lastAttemptAt, lastStatus, lastError } = webhook;
  if (status === 'disabled' && disabledReason !== null) return `Off: ${REASON_WORDS[disabledReason]}.`;
  if (failingSince !== null)
    return `The last attempt failed: ${answerWords({ status: lastStatus, error: lastError })}.`;
  return lastAttemptAt === null ? 'On. Nothing was sent yet.' : 'On. The last event arrived.';
}
