import { describe, expect, it } from '@jest/globals';
import { dataSourceOptions } from './data-source.js';

describe('dataSourceOptions', () => {
  it('lets a request wait less than 2 s for a connection and for the end of its statement', () => {
    const server = { host: 'db.example' };
    const { connectTimeoutMS, extra } = dataSourceOptions({ server, dataDir: './data', poolSize: 8 }) as {
      connectTimeoutMS: number;
      extra: { options: string };
    };
    const [, statementMs] = /statement_timeout=(\d+)/.exec(extra.options) ?? [];
    expect(connectTimeoutMS + Number(statementMs)).toBeLessThan(2_000);
  });
});
