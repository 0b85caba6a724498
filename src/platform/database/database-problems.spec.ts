import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { DatabaseProblems } from './database-problems.js';

describe('DatabaseProblems', () => {
  let warn: jest.SpiedFunction<Logger['warn']>;

  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });
  afterEach(() => void jest.restoreAllMocks());

  it.each(['57014', '26000', '42P05'])(
    'logs statements that fail with %s once, and not as an outage',
    (code) => {
      const problems = new DatabaseProblems();
      for (let request = 0; request < 3; request += 1)
        problems.failed(Object.assign(new DatabaseError('failed', 6, 'error'), { code }));
      expect(warn).toHaveBeenCalledTimes(1);
      expect(warn).not.toHaveBeenCalledWith(expect.anything(), 'the database is away');
    },
  );
});
