import type { StoreEvent } from 'animal-store-client';

interface Kind {
  /** Its name in the address. */
  id: string;
  label: string;
  has: (type: StoreEvent['type']) => boolean;
}

const EVERYTHING: Kind = { id: 'all', label: 'Everything', has: () => true };

/** What the feed can be narrowed to. */
export const KINDS: Kind[] = [
  EVERYTHING,
  { id: 'animals', label: 'Animals', has: (type) => type.startsWith('pet.') },
  { id: 'orders', label: 'Orders', has: (type) => type.startsWith('order.') },
  {
    id: 'keys',
    label: 'Keys and webhooks',
    has: (type) => type.startsWith('key.') || type.startsWith('webhook.'),
  },
];

export const kindOf = (name: string | null): Kind => KINDS.find(({ id }) => id === name) ?? EVERYTHING;
