import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { COMMAND } from '../../auth/actor.js';
import { DAY_MS } from '../../platform/common/time.js';
import { Database } from '../../platform/database/database.js';
import type { NewPetDto } from '../dto/pets.dto.js';
import { PetsService } from '../pets.service.js';
import { PetImportEntity } from './import.entity.js';

const KEPT_DAYS = 30;

/**
 * Adds the animals of files. The transaction of a batch also notes how far the file is, so a repeat adds exactly the rest, whatever ended
 * the run before.
 */
@Injectable()
export class PetImportsService {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsService,
    @InjectRepository(PetImportEntity) private readonly imports: Repository<PetImportEntity>,
  ) {}

  /** How many animals of the file earlier runs have added. Forgets files whose last batch is 30 days old. */
  async begin(fileDigest: Buffer): Promise<bigint> {
    await this.imports.delete({ changedAt: LessThan(new Date(Date.now() - KEPT_DAYS * DAY_MS)) });
    await this.imports.createQueryBuilder().insert().values({ fileDigest, added: 0n }).orIgnore().execute();
    return (await this.imports.findOneByOrFail({ fileDigest })).added;
  }

  /**
   * Adds the animals that follow the first `added` of the file, all or none.
   *
   * @throws Error when another process imports the same file
   */
  addBatch(fileDigest: Buffer, added: bigint, pets: readonly NewPetDto[]): Promise<void> {
    return this.database.transaction(async () => {
      const next = { added: added + BigInt(pets.length), changedAt: new Date() };
      const { affected } = await this.imports.update({ fileDigest, added }, next);
      if (affected !== 1)
        throw new Error('Another process imports this file; repeat the import once it has ended');
      await this.pets.createMany(pets, COMMAND);
    });
  }
}
