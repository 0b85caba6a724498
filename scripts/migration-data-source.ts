import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../src/platform/database/data-source.js';

/** The temporary database that migration.ts creates. No other setting of the environment applies. */
export default new DataSource(
  dataSourceOptions({ dataDir: process.env.MIGRATION_DATA_DIR ?? '', poolSize: 1 }),
);
