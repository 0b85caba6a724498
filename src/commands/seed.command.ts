import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { RefusedInputError } from '../platform/common/errors/refused-input-error.js';
import { stringifyJson } from '../platform/common/json.js';
import { COMMAND } from '../auth/actor.js';
import { samplePets } from '../pets/sample-pets.js';
import type { PetsService } from '../pets/pets.service.js';
import { parseWholeNumber } from './command-options.js';
import { showProgress, thousands } from './output.js';

const MAX_PETS = 10_000_000;
const MAX_SEED = 2 ** 32 - 1;
const PETS_PER_STATEMENT = 1_000;

interface Options {
  pets: number;
  seed?: number;
  json?: true;
}

export const seed = new Command('seed')
  .description('add sample pets to the catalogue, also while the service runs')
  .requiredOption('--pets <n>', `how many, 1 to ${MAX_PETS}`, parseWholeNumber)
  .option('--seed <n>', `the same number gives the same pets, 0 to ${MAX_SEED}`, parseWholeNumber)
  .option('--json', 'print one JSON value instead of a line')
  .action(async ({ pets, seed = randomInt(MAX_SEED + 1), json }: Options) => {
    if (pets < 1 || pets > MAX_PETS) throw new RefusedInputError(`--pets: expected 1 to ${MAX_PETS}`);
    if (seed > MAX_SEED) throw new RefusedInputError(`--seed: expected 0 to ${MAX_SEED}`);
    const startedAtMs = performance.now();
    const { withPets } = await import('./with-service.js');
    const { firstId, lastId } = await withPets((service) => addPets(service, pets, seed));
    const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
    const summary = { pets, seed, firstId, lastId, seconds };
    const forPeople = `added ${thousands(pets)} pets with the ids ${String(firstId)} to ${String(lastId)} in ${seconds} s (--seed ${seed})`;
    process.stdout.write(`${json ? stringifyJson(summary) : forPeople}\n`);
  });

/** In batches, so that a running service keeps answering. */
async function addPets(service: PetsService, count: number, seed: number) {
  const show = showProgress();
  const animals = samplePets(seed);
  let firstId: bigint | undefined;
  let lastId = 0n;
  for (let done = 0; done < count;) {
    const batch = animals.take(Math.min(PETS_PER_STATEMENT, count - done));
    const added = await service.createMany(batch, COMMAND);
    firstId ??= added[0]?.id;
    lastId = added.at(-1)?.id ?? lastId;
    done += batch.length;
    show('adding pets', done, count);
  }
  return { firstId: firstId ?? 0n, lastId };
}
