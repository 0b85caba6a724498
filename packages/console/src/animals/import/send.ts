import { ApiError, stringifyJson, type NewPet, type Pet } from 'animal-store-client';
import { client } from '../../session/session';

/** What createPets takes. */
const MOST_ANIMALS = 100;
/** Below the service's bound of a body, 64 KiB. */
const MOST_BYTES = 60_000;

export interface Batch<Item> {
  items: Item[];
  /** The same for every attempt, so that a repeat after a lost answer adds nothing twice. */
  idempotencyKey: string;
}

/** Divides animals into batches that the service takes. */
export function batchesOf<Item extends { animal: NewPet }>(items: Item[]): Batch<Item>[] {
  const encoder = new TextEncoder();
  const batches: Batch<Item>[] = [];
  let bytes = Infinity;
  for (const item of items) {
    const size = encoder.encode(stringifyJson(item.animal)).length + 1;
    const last = batches.at(-1);
    if (last && last.items.length < MOST_ANIMALS && bytes + size <= MOST_BYTES) {
      last.items.push(item);
      bytes += size;
    } else {
      batches.push({ items: [item], idempotencyKey: `import-${randomText()}` });
      bytes = size;
    }
  }
  return batches;
}

function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Adds the animals of a batch, all or none. */
export function send({ items, idempotencyKey }: Batch<{ animal: NewPet }>): Promise<Pet[]> {
  return client().createPets(
    items.map(({ animal }) => animal),
    { idempotencyKey },
  );
}

/** Whether the same batch may pass later: the service did not take it, or its answer was lost. */
export const isLater = (error: unknown) => !(error instanceof ApiError) || error.status >= 500;
