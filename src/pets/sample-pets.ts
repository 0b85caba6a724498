import { hash } from 'node:crypto';
import type { PetStatus } from './pet-status.js';
import type { NewPet } from './pet.entity.js';

const NAMES = [
  ...['Bella', 'Luna', 'Charlie', 'Max', 'Milo', 'Rex', 'Coco', 'Oscar', 'Daisy', 'Rocky', 'Nala', 'Simba'],
  ...['Ruby', 'Leo', 'Lola', 'Toby', 'Molly', 'Finn', 'Willow', 'Jasper', 'Poppy', 'Felix', 'Hazel', 'Otto'],
  ...['Żaba', 'Señor Wuff', 'Mäuschen', 'ポチ', 'Мурка', 'Fish & Chips', "O'Malley", 'Zoë'],
];

const CATEGORIES = 20;

/** A shop that has been open for a while: most animals are sold, a few are reserved. */
const STATUSES = [
  ...Array<PetStatus>(15).fill('sold'),
  ...Array<PetStatus>(9).fill('available'),
  'pending',
] as const;

/** Made-up animals; the same seed makes the same ones in the same order. */
export function samplePets(seed: number): { take(count: number): NewPet[] } {
  let made = 0;
  return { take: (count) => Array.from({ length: count }, () => samplePet(seed, ++made)) };
}

function samplePet(seed: number, number: number): NewPet {
  // Math.random cannot be seeded.
  const [name = 0, category = 0, status = 0] = hash('md5', `${seed} ${number}`, 'buffer');
  return {
    name: `${NAMES[name % NAMES.length] ?? ''} ${number}`,
    // Squared, because some categories have more animals than others.
    categoryId: BigInt(1 + Math.floor((category / 256) ** 2 * CATEGORIES)),
    status: STATUSES[status % STATUSES.length] ?? 'pending',
  };
}
