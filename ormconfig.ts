import { DataSource } from 'typeorm';
import { readConfig } from './src/platform/config/load-config.js';
import { dataSourceOptions, directSettings } from './src/platform/database/data-source.js';

/** The DataSource for TypeORM's command line; the service builds its own from the same description. */
export default new DataSource(dataSourceOptions(directSettings((await readConfig()).database)));
