import { Command } from 'commander';
import { readConfig } from '../config/load-config.js';
import { directSettings } from '../database/data-source.js';
import { distribute } from '../database/schema/distribute.js';

export const database = new Command('database').description('arrange the tables of a database server');

database
  .command('distribute')
  .description('spread the tables over the workers of a Citus coordinator, once')
  .action(async () => {
    const { workers, wasDone } = await distribute(directSettings(readConfig().database));
    const done = wasDone ? 'the tables are distributed already' : 'distributed the tables';
    process.stdout.write(`${done}, over ${workers.join(', ')}\n`);
  });
