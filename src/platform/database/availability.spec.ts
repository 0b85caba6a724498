import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { Availability } from './availability.js';

describe('Availability', () => {
  let warn: jest.SpiedFunction<Logger['warn']>;

  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  });
  afterEach(() => void jest.restoreAllMocks());

  it.each(['57014', '26000', '42P05'])(
    'logs statements that fail with %s on a server that answers once, and not as an outage',
    (code) => {
      const availability = new Availability();
      for (let request = 0; request < 3; request += 1) {
        availability.failed(Object.assign(new DatabaseError('failed', 6, 'error'), { code }));
        availability.answered();
      }
      expect(warn).toHaveBeenCalledTimes(1);
      expect(warn).not.toHaveBeenCalledWith(expect.anything(), 'the database is away');
    },
  );
});
