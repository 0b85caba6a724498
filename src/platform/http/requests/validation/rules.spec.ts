import { describe, expect, it } from '@jest/globals';
import { IsDate, OptionalOrNull, QueryLimit } from './rules.js';
import { validBody, validQuery } from './validate.js';

class Body {
  @OptionalOrNull()
  @IsDate()
  born?: string | null;
}

class Parameters {
  @QueryLimit('animals')
  limit?: number;
}

describe('rules of fields', () => {
  it.each([undefined, null, '2024-02-29', '0001-01-01', '9999-12-31'])('accept the date %s', (born) => {
    expect(validBody({ born }, Body)).toEqual({ born });
  });

  it.each([
    ...['', '2023-02-29', '2024-2-9', '2024-13-01', '2024-00-10', '0000-01-01', '10000-01-01', '24-01-01'],
    ...['2024-02-29T00:00:00Z', ' 2024-02-29', '2024-02-29\n', 20240229, false, {}],
  ])('refuse the date %j', (born) => {
    expect(() => validBody({ born }, Body)).toThrow('born: expected a date');
  });

  it.each([
    ['10', 10],
    ['10.0', 10],
    ['1e1', 10],
    ['100', 100],
  ])('read the limit %s', (text, limit) => {
    expect(validQuery({ limit: text }, Parameters)).toEqual({ limit });
  });

  it.each(['10.5', '0', '101', '1e9', '010', '+1', ''])('refuse the limit %j', (limit) => {
    expect(() => validQuery({ limit }, Parameters)).toThrow('limit: expected an integer');
  });
});
