import fc from 'fast-check';
import type { FuzzRequest } from './request.js';
import { integer, text, wordOf } from './values.js';

const status = wordOf('available|pending|sold|gone|', '|');
/** A number in JSON syntax, also beyond the range of a double. */
const numeral = fc.oneof(
  integer.filter((of) => /^-?(0|[1-9]\d*)$/.test(of)),
  wordOf('1.0 1e2 -0 -0.0 1e400 1e-400 100e-2 0.1e1 9223372036854775807.0 1E+2'),
);
const string = text.map((of) => JSON.stringify(of));
const anything = fc.oneof(
  numeral,
  string,
  fc.json({ maxDepth: 2 }),
  wordOf(`null true [] {} "\\ud800" "\\u0000" "" "${'é'.repeat(256)}"`),
);

const member = (name: string, value: fc.Arbitrary<string>) =>
  value.map((of) => `${JSON.stringify(name)}:${of}`);
const validPet = fc
  .tuple(
    member('name', string),
    member('categoryId', numeral),
    fc.option(
      status.map((of) => `"status":"${of}"`),
      { nil: undefined },
    ),
  )
  .map((members) => members.filter((of) => of !== undefined));
const anyMember = fc.oneof(
  fc
    .tuple(wordOf('name categoryId status petId id __proto__ constructor'), anything)
    .map(([name, value]) => `"${name}":${value}`),
  fc.tuple(string, anything).map(([name, value]) => `${name}:${value}`),
);
const object = fc
  .oneof(
    { weight: 4, arbitrary: validPet },
    { weight: 2, arbitrary: member('petId', numeral).map((of) => [of]) },
    fc.tuple(validPet, fc.array(anyMember, { maxLength: 3 })).map(([pet, more]) => [...pet, ...more]),
    fc.array(anyMember, { maxLength: 5 }),
  )
  .map((members) => `{${members.join(',')}}`);

const nested = fc
  .tuple(wordOf('[ {"a": [[], {"name":{'), fc.integer({ min: 1, max: 9_000 }), fc.boolean())
  .map(
    ([open, depth, closes]) =>
      `${open.repeat(depth)}${closes ? '1' : ''}${closes ? (open.startsWith('[') ? ']' : '}').repeat(depth) : ''}`,
  );
const large = fc
  .integer({ min: 65_400, max: 65_700 })
  .map((length) => `{"categoryId":1,"name":"${'a'.repeat(length - 25)}"}`);
/** Valid JSON with a mutation. */
const broken = fc
  .tuple(object, fc.nat(60), fc.nat(6), wordOf(` \0 , " \\ } /**/ \u00a0 \ufeff '`))
  .map(([of, at, cut, insert]) => `${of.slice(0, at)}${insert}${of.slice(at + cut)}`);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.tuple(object, fc.nat(40), fc.uint8Array({ minLength: 1, maxLength: 3 })).map(([of, at, inserted]) => {
    const valid = Buffer.from(of);
    return new Uint8Array(Buffer.concat([valid.subarray(0, at), inserted, valid.subarray(at)]));
  }),
  object.map((of) => new Uint8Array(Buffer.from(of, 'utf16le'))),
);

const content: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 40, arbitrary: object },
  { weight: 8, arbitrary: anything },
  { weight: 8, arbitrary: broken },
  { weight: 8, arbitrary: bytes },
  { weight: 2, arbitrary: fc.constantFrom('', ' ', '{}') },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: large },
);

/** A body, whole or in chunks, or none. */
export const body: fc.Arbitrary<FuzzRequest['body']> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 8, arbitrary: content.map((whole) => ({ whole })) },
  { weight: 1, arbitrary: fc.array(content, { maxLength: 3 }).map((pieces) => ({ pieces })) },
);
