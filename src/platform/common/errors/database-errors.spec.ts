import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { DatabaseUnavailableError, databaseErrorOf, noteConnectionError } from './database-errors.js';
import { HTTP_ERRORS } from './http.errors.js';

const answered = (code: string) => Object.assign(new DatabaseError(`failed ${code}`, 6, 'error'), { code });
const ofRepository = (error: Error) => new QueryFailedError('select', [], error);

describe('databaseErrorOf', () => {
  let warn: jest.SpiedFunction<Logger['warn']>;
  let nowMs = 0;

  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    // Every test begins when nothing was logged for long.
    nowMs += 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    '57014',
    '53300',
    '57P01',
    '58000',
    'XX000',
    '0A000',
    '3D000',
    '3F000',
    '42501',
    '42P01',
    '25006',
  ])('is 503 for %s, through a repository too', (code) => {
    expect(databaseErrorOf(answered(code))).toBeInstanceOf(DatabaseUnavailableError);
    expect(databaseErrorOf(ofRepository(answered(code)))).toBeInstanceOf(DatabaseUnavailableError);
  });

  it.each(['22021', '22P02', '23505', '23514', '25P02', '42601', '42703', 'P0001'])(
    'is undefined for %s, with which the statement is wrong',
    (code) => {
      expect(databaseErrorOf(answered(code))).toBeUndefined();
      expect(databaseErrorOf(ofRepository(answered(code)))).toBeUndefined();
      expect(warn).not.toHaveBeenCalled();
    },
  );

  it('is 503 for whatever ended a connection or kept it from opening', () => {
    for (const error of [new Error('odd'), new AggregateError([]), answered('42601')]) {
      expect(databaseErrorOf(error)).toBeUndefined();
      noteConnectionError(error);
      expect(databaseErrorOf(error)).toMatchObject({ headers: { 'Retry-After': '1' } });
      expect(databaseErrorOf(ofRepository(error))).toBeInstanceOf(DatabaseUnavailableError);
    }
    expect(databaseErrorOf(new QueryRunnerAlreadyReleasedError())).toBeInstanceOf(DatabaseUnavailableError);
  });

  it.each([new TypeError('not a function'), 'a text', undefined])(
    'is undefined for %p, which is no error of the database',
    (thrown) => expect(databaseErrorOf(thrown)).toBeUndefined(),
  );

  it.each(['57014', '26000', '42P05', '42P01'])(
    'logs statements that fail with %s once a minute, and not as an outage',
    (code) => {
      for (let request = 0; request < 3; request += 1) databaseErrorOf(answered(code));
      expect(warn).toHaveBeenCalledTimes(1);
      expect(warn).not.toHaveBeenCalledWith(expect.anything(), 'the database is away');
      nowMs += 60_000;
      databaseErrorOf(answered(code));
      expect(warn).toHaveBeenCalledTimes(2);
    },
  );
});

it('a database that is away has the message of the example of service_unavailable', () => {
  expect(new DatabaseUnavailableError().message).toBe(HTTP_ERRORS.service_unavailable.example);
});
