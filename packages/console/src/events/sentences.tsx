import type { StoreEvent } from 'animal-store-client';
import { may, me } from '../session/session';
import { AnimalName, PartnerName } from '../orders/names';
import { localTime } from '../shared/time';

const ORDER_WORDS = {
  'order.placed': 'was placed',
  'order.approved': 'was approved',
  'order.delivered': 'was delivered',
  'order.cancelled': 'was cancelled',
  'order.expired': 'has expired, because nobody approved it in time',
} as const;

const PET_WORDS = {
  'pet.created': 'was added',
  'pet.updated': 'was changed',
  'pet.deleted': 'was deleted',
} as const;

/** What happened, as a sentence, and the address that shows it. */
export function sentenceOfEvent(event: StoreEvent): { sentence: React.ReactNode; to?: string } {
  switch (event.type) {
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted': {
      const { id, name, status } = event.data;
      return {
        sentence: `${name} ${PET_WORDS[event.type]}: animal ${String(id)}, ${status}.`,
        ...(event.type !== 'pet.deleted' && { to: `/animals/${String(id)}${may('manage') ? '' : '/show'}` }),
      };
    }
    case 'key.quota_reached': {
      const { keyId, percent, used, limit } = event.data;
      const numbers = `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}`;
      return ofKey(keyId, `used ${String(percent)} % of the day, ${numbers} requests`);
    }
    case 'key.banned':
      return ofKey(event.data.keyId, `is banned until ${localTime(event.data.until)}`);
    case 'webhook.disabled': {
      const { keyId, webhookId, reason } = event.data;
      return { ...ofKey(keyId, `lost a webhook (${reason})`), to: `/webhooks/${webhookId}/show` };
    }
    default: {
      const { id, petId } = event.data;
      return {
        sentence: (
          <>
            Order {String(id)} of <AnimalName id={petId.toString()} /> {ORDER_WORDS[event.type]}.
          </>
        ),
        to: `/orders/${String(id)}/show`,
      };
    }
  }
}

const ofKey = (keyId: string, what: string) => ({
  sentence: (
    <>
      <PartnerName keyId={keyId} /> {what}.
    </>
  ),
  to: `/keys/${keyId}/show`,
});

/** Who did it. */
export function Actor({ actor }: { actor: string }) {
  if (actor === 'command') return <>an operator, with a command</>;
  if (actor === 'service') return <>the service</>;
  if (actor === me().id) return <>you</>;
  return <PartnerName keyId={actor} />;
}
