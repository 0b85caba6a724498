import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../src/database/data-source.js';

/** The database made for the purpose by migration.ts, whatever the environment says of others. */
export default new DataSource(
  dataSourceOptions({ dataDir: process.env.MIGRATION_DATA_DIR ?? '', poolSize: 1 }),
);
