import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IsDate, OptionalOrNull, QueryLimit } from './rules.js';

class Fields {
  @OptionalOrNull()
  @IsDate()
  born?: string | null;

  @QueryLimit('animals')
  limit?: number;
}

const isValid = (fields: object) => validateSync(plainToInstance(Fields, fields)).length === 0;

describe('rules of fields', () => {
  it.each([undefined, null, '2024-02-29', '0001-01-01', '9999-12-31'])('accept the date %s', (born) => {
    expect(isValid({ born })).toBe(true);
  });

  it.each([
    ...['', '2023-02-29', '2024-2-9', '2024-13-01', '2024-00-10', '0000-01-01', '10000-01-01', '24-01-01'],
    ...['2024-02-29T00:00:00Z', ' 2024-02-29', '2024-02-29\n', 20240229, false, {}],
  ])('refuse the date %j', (born) => {
    expect(isValid({ born })).toBe(false);
  });

  it.each([
    ['10', 10],
    ['10.0', 10],
    ['1e1', 10],
    ['100', 100],
  ])('read the limit %s', (text, limit) => {
    expect(plainToInstance(Fields, { limit: text }).limit).toBe(limit);
  });

  it.each(['10.5', '0', '101', '1e9', '010', '+1', ''])('refuse the limit %j', (limit) => {
    expect(isValid({ limit })).toBe(false);
  });
});
