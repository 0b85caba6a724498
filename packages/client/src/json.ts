import { assertExact } from './int64.js';

/** Part of ECMAScript's "JSON.parse source text access", which TypeScript does not declare yet. */
interface SourceContext {
  source?: string;
}
const rawJSON = rawJsonOfPlatform();

const INTEGER = /^-?\d+$/;

function rawJsonOfPlatform(): (text: string) => object {
  const { rawJSON: native } = JSON as typeof JSON & { rawJSON?: (text: string) => object };
  if (native !== undefined) return native;
  throw new Error(
    'animal-store-client needs JSON.rawJSON for exact integers: its README names the platforms that have it',
  );
}

/** JSON.parse with exact integers: a number up to 2^53 - 1, a bigint beyond. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: SourceContext) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    if (context?.source === undefined)
      throw new TypeError('exact integers need JSON.parse with source text access, as JSON.rawJSON does');
    return INTEGER.test(context.source) ? BigInt(context.source) : value;
  });
}

/** JSON.stringify that writes a bigint as its digits. @throws RangeError for an integer that may have been rounded */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, each: unknown) {
    // Not `each`: many programs give bigints a `toJSON`, which has made it a string.
    const own = this[key];
    if (typeof own === 'bigint') return rawJSON(own.toString());
    if (typeof each === 'number') assertExact(each);
    return each;
  });
}
