import type { PetStatus } from './pet-status.js';
import type { NewPet } from './pet.entity.js';

const NAMES = [
  ...['Bella', 'Luna', 'Charlie', 'Max', 'Milo', 'Rex', 'Coco', 'Oscar', 'Daisy', 'Rocky', 'Nala', 'Simba'],
  ...['Ruby', 'Leo', 'Lola', 'Toby', 'Molly', 'Finn', 'Willow', 'Jasper', 'Poppy', 'Felix', 'Hazel', 'Otto'],
  ...['Żaba', 'Señor Wuff', 'Mäuschen', 'ポチ', 'Мурка', 'Fish & Chips', "O'Malley", 'Zoë'],
];

const CATEGORIES = 20;

/** Fractions of a shop that has been open for a while: most animals are sold, a few are reserved. */
const SHARES: readonly [PetStatus, number][] = [
  ['sold', 0.6],
  ['available', 0.36],
  ['pending', 0.04],
];

/** Made-up animals; the same seed makes the same ones in the same order. */
export function samplePets(seed: number): { take(count: number): NewPet[] } {
  const random = mulberry32(seed);
  let made = 0;
  const next = (): NewPet => {
    made++;
    return {
      name: `${NAMES[Math.floor(random() * NAMES.length)] ?? ''} ${made}`,
      // Squared, because some categories have more animals than others.
      categoryId: BigInt(1 + Math.floor(random() ** 2 * CATEGORIES)),
      status: statusAt(random()),
    };
  };
  return { take: (count) => Array.from({ length: count }, next) };
}

function statusAt(point: number): PetStatus {
  let end = 0;
  for (const [status, share] of SHARES) {
    end += share;
    if (point < end) return status;
  }
  return 'pending';
}

/** A generator of numbers from 0 to below 1; Math.random cannot be seeded. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
