import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { ApiProperty, ApiPropertyOptional, OmitType, PartialType, PickType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotIn,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { parseJson } from '../../../common/json.js';
import { IsInt64, NoBody, QueryInt64List, QueryLimit } from './rules.js';
import { validBody, validQuery, type Query } from './validate.js';

class Toy {
  @IsString()
  @Length(1, 5)
  @ApiProperty()
  name!: string;

  @IsInt64()
  @ApiProperty({ type: 'integer', format: 'int64' })
  makerId!: bigint;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  @ApiPropertyOptional()
  pieces?: number;

  @IsOptional()
  @IsNumber()
  @ApiPropertyOptional()
  weight?: number;

  @IsOptional()
  @Matches(/^\d{4}-\d\d-\d\d$/, { message: 'made must be a date such as 2024-02-29' })
  @ApiPropertyOptional({ nullable: true })
  made?: string | null;

  @IsOptional()
  @IsIn(['new', 'used'])
  @ApiPropertyOptional()
  state?: string;

  @IsOptional()
  @IsString({ each: true })
  @ArrayMaxSize(2)
  @ApiPropertyOptional()
  labels?: string[];
}
class ToyUpdate extends PartialType(Toy) {}
class NamelessToy extends OmitType(Toy, ['name']) {}
class ToyName extends PickType(Toy, ['name']) {}

class ToyQuery {
  @QueryLimit('toys')
  limit?: number;

  @IsOptional()
  @IsInt64()
  makerId?: bigint;

  @IsOptional()
  @IsUUID('loose')
  keyId?: string;

  @IsOptional()
  @IsBoolean()
  isNew?: boolean;

  @IsOptional()
  @IsNumber()
  weight?: number;

  @IsOptional()
  @QueryInt64List(3)
  ids?: bigint[];
}
class Empty {}
class Options extends NoBody {
  @IsOptional()
  @IsString()
  reason?: string;
}

const bodyOf = (json: string) => parseJson(Buffer.from(json));
const TOY = '"name": "Ball", "makerId": 9007199254740993';

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('a body', () => {
  it('keeps every digit of an int64, and gives a number where the field is one', () => {
    const toy = validBody(bodyOf(`{${TOY}, "pieces": 1e0, "weight": 0.5}`), Toy);
    expect(toy).toBeInstanceOf(Toy);
    expect(toy).toEqual({ name: 'Ball', makerId: 9_007_199_254_740_993n, pieces: 1, weight: 0.5 });
  });

  it.each([
    ['"pieces": "1"', 'pieces: expected not to be greater than 9, got "1"'],
    ['"pieces": 10', 'pieces: expected not to be greater than 9, got 10'],
    ['"pieces": 1.5', 'pieces: expected an integer number, got 1.5'],
    ['"weight": 1e999', 'weight: expected a number conforming to the specified constraints, got 1e999'],
    ['"made": "today"', 'made: expected a date such as 2024-02-29, got "today"'],
    ['"state": "old"', 'state: expected one of new, used, got "old"'],
    ['"labels": [1]', 'labels: expected each value: a string, got an array'],
    ['"labels": ["a", "b", "c"]', 'labels: expected to contain no more than 2 elements, got an array'],
    ['"color": 1', '"color": no such field (there are name, makerId, pieces, weight, made, state, labels)'],
    ['"__proto__": {}, "constructor": {}', /^"__proto__", "constructor": no such field/],
  ])('is refused in the words of its stock decorators: %s', (field, problem) => {
    expect(problemOf(() => validBody(bodyOf(`{${TOY}, ${field}}`), Toy))).toEqual(
      typeof problem === 'string' ? expect.stringContaining(problem) : expect.stringMatching(problem),
    );
  });

  it('names every field at fault, in their order', () => {
    const problem = problemOf(() => validBody(bodyOf('{"name": "", "state": 7}'), Toy));
    expect(problem).toMatch(/^name: .*; makerId: expected an integer .*, got nothing; state: .*, got 7$/);
  });

  it('has no null where a rule would let it pass', () => {
    class Note {
      @IsNotIn(['x'])
      text!: string;
    }
    expect(problemOf(() => validBody(bodyOf('{"text": null}'), Note))).toBe(
      'text: expected a value, got null',
    );
  });

  it.each([Toy, ToyUpdate])('has null only where the document says so', (dto) => {
    expect(validBody(bodyOf(`{${TOY}, "made": null}`), dto)).toMatchObject({ made: null });
    expect(problemOf(() => validBody(bodyOf(`{${TOY}, "state": null}`), dto))).toBe(
      'state: expected one of new, used, got null',
    );
    expect(problemOf(() => validBody(bodyOf('{"makerId": 1, "name": null}'), dto))).toMatch(
      /^name: expected .*, got null$/,
    );
  });

  it('is checked against mapped types', () => {
    expect(validBody(bodyOf('{"makerId": 1, "pieces": 2}'), ToyUpdate)).toEqual({ makerId: 1n, pieces: 2 });
    expect(validBody(bodyOf('{"makerId": 1}'), NamelessToy)).toEqual({ makerId: 1n });
    expect(validBody(bodyOf('{"name": "Ball"}'), ToyName)).toEqual({ name: 'Ball' });
    expect(problemOf(() => validBody(bodyOf('{"name": "Ball", "makerId": 1}'), NamelessToy))).toContain(
      '"name": no such field',
    );
  });

  it('may be refused as a whole', () => {
    expect(problemOf(() => validBody(undefined, Toy))).toBe('The body is missing: expected a JSON object.');
    expect(problemOf(() => validBody(bodyOf('[]'), Toy))).toBe('body: expected a JSON object, got an array');
    expect(problemOf(() => validBody(bodyOf('{"a": 1}'), Empty))).toBe('"a": no such field (there are none)');
    expect(problemOf(() => validBody(bodyOf('{}'), ToyUpdate))).toBe(
      'body: expected at least one of name, makerId, pieces, weight, made, state, labels, got an empty object',
    );
    expect(problemOf(() => validBody(bodyOf('{"a": 1}'), ToyUpdate))).toMatch(/^"a": no such field/);
    expect(validBody(bodyOf('{}'), Options)).toEqual({});
    expect(validBody(undefined, Options)).toEqual({});
  });
});

describe('a query', () => {
  it.each<[Query, object]>([
    [
      { limit: '10.0', makerId: '-9223372036854775808' },
      { limit: 10, makerId: -(2n ** 63n) },
    ],
    [
      { limit: '1e1', isNew: 'true' },
      { limit: 10, isNew: true },
    ],
    [
      { isNew: 'false', weight: '0.5' },
      { isNew: false, weight: 0.5 },
    ],
    [{ ids: ['1', '2,1'] }, { ids: [1n, 2n] }],
    [{ keyId: '00000000-0000-0000-0000-00000000000A' }, { keyId: '00000000-0000-0000-0000-00000000000A' }],
    [{}, {}],
  ])('is read by the types of its fields: %j', (query, expected) => {
    expect(validQuery(query, ToyQuery)).toEqual(expected);
  });

  it.each<[Query, string]>([
    ...['10.5', '0', '101', '1e9', '010', '+1'].map((limit): [Query, string] => [
      { limit },
      `limit: expected an integer from 1 to 100, got "${limit}"`,
    ]),
    [{ limit: '' }, 'limit: expected an integer from 1 to 100, got an empty string'],
    [{ makerId: '1.5' }, 'makerId: expected an integer that fits 64 bits, got "1.5"'],
    [{ isNew: 'yes' }, 'isNew: expected a boolean value, got "yes"'],
    [{ keyId: 'me' }, 'keyId: expected a UUID, got "me"'],
    [{ ids: '1,x' }, 'ids: expected 1 to 3 integers that fit 64 bits, separated by commas, got "1,x"'],
    [{ limit: ['1', '2'] }, '"limit": expected once, got more'],
    [
      { constructor: '1' },
      '"constructor": no such parameter (there are limit, makerId, keyId, isNew, weight, ids)',
    ],
  ])('is refused: %j', (query, problem) => {
    expect(problemOf(() => validQuery(query, ToyQuery))).toBe(problem);
  });
});
