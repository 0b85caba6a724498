import { Command } from 'commander';
import type { PetFile } from '../pets/imports/pet-file.js';
import type { PetImportsService } from '../pets/imports/pet-imports.service.js';
import type { NewPetDto } from '../pets/dto/pets.dto.js';
import { showProgress, thousands } from './output.js';

/** A transaction is short, so that a running service keeps answering. */
const PETS_PER_BATCH = 500;

/** A file without faults. */
interface Checked {
  pets: number;
  digest: Buffer;
}

export const importPets = new Command('import')
  .description('add the animals of a file (CSV with a header, or JSON lines), also while the service runs')
  .argument('<file>', 'CSV: name,categoryId,status; JSON lines: {"name": "Rex", "categoryId": 7}')
  .option('--dry-run', 'check every line and add nothing')
  .option('--json', 'print one JSON value instead of a line')
  .action(async (path: string, { dryRun, json }: { dryRun?: true; json?: true }) => {
    const print = (summary: object, text: string) =>
      process.stdout.write(`${json ? JSON.stringify(summary) : text}\n`);
    const { PetFile } = await import('../pets/imports/pet-file.js');
    const file = await PetFile.open(path);
    // The whole file first: one with a fault adds nothing, so that it can be corrected and imported.
    const checked = await check(file);
    const { pets } = checked;
    if (dryRun) {
      print({ file: path, pets, added: 0 }, `${path}: ${thousands(pets)} animals can be added`);
      return;
    }
    const { withPetImports } = await import('./with-service.js');
    const before = await withPetImports((service) => add(file, checked, service));
    const added = pets - before;
    print(
      { file: path, pets, added, addedBefore: before },
      `${path}: added ${thousands(added)} animals${before > 0 ? `; an earlier run had added ${thousands(before)}` : ''}`,
    );
  });

/** Reads the whole file. @throws Error when a line is at fault, after stderr names each of them */
async function check(file: PetFile): Promise<Checked> {
  let pets = 0;
  let faults = 0;
  let digest: Buffer = Buffer.alloc(0);
  for await (const record of file.records((value) => (digest = value))) {
    if ('pet' in record) pets += 1;
    else {
      faults += 1;
      process.stderr.write(`line ${record.line}: ${record.problem.replace(/\s+/g, ' ')}\n`);
    }
  }
  if (faults > 0) throw new Error(`${thousands(faults)} lines are at fault; nothing was added`);
  return { pets, digest };
}

/** Adds what earlier runs have not added. Resolves with how many animals they had added. */
async function add(file: PetFile, { pets, digest }: Checked, service: PetImportsService): Promise<number> {
  const show = showProgress();
  const before = Number(await service.begin(digest));
  let batch: NewPetDto[] = [];
  let at = 0;
  let done = before;
  const addBatch = async () => {
    await service.addBatch(digest, BigInt(done), batch);
    done += batch.length;
    batch = [];
    show('adding animals', done, pets);
  };
  for await (const record of file.records(() => undefined)) {
    if (!('pet' in record)) throw new Error('The file has changed since it was checked');
    at += 1;
    if (at <= before) continue;
    batch.push(record.pet);
    if (batch.length === PETS_PER_BATCH) await addBatch();
  }
  if (batch.length > 0) await addBatch();
  return before;
}
