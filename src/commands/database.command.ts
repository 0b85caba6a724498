import { Command } from 'commander';

export const database = new Command('database').description('arrange the tables of a database server');

database
  .command('distribute')
  .description('spread the tables over the workers of a Citus coordinator, once')
  .action(async () => {
    // Loaded only here, because help and refused input should not wait for TypeORM.
    const { readConfig } = await import('../platform/config/load-config.js');
    const { directSettings } = await import('../platform/database/data-source.js');
    const { distribute } = await import('../platform/database/schema/distribute.js');
    const { workers, wasDone } = await distribute(directSettings(readConfig().database));
    const done = wasDone ? 'the tables are distributed already' : 'distributed the tables';
    process.stdout.write(`${done}, over ${workers.join(', ')}\n`);
  });
