import type { Int64 } from 'animal-store-client';

/** The entity tag of a record that was read alone, for `If-Match`. */
export const ETAG = '_etag';

type Plain<Value> = Value extends bigint ? Exclude<Value, bigint> | string : Value;
export type RecordOf<Item> = { [Field in keyof Item]: Plain<Item[Field]> } & {
  id: string | number;
  [ETAG]?: string;
};

/** An item as a record of the page: an int64 beyond 2^53 - 1 is text, because react-admin writes records as JSON. */
export function recordOf<Item extends object>(item: Item, etag?: string): RecordOf<Item> {
  const plain = Object.entries(item).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? value.toString() : (value as unknown),
  ]);
  return { ...(Object.fromEntries(plain) as RecordOf<Item>), ...(etag !== undefined && { [ETAG]: etag }) };
}

/** The text of a value of a form; nothing is empty text. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? value.toString() : '';
}

/** An identifier of the page as the client takes it. @throws Error for what is no int64 */
export function int64Of(value: unknown, what = 'number'): Int64 {
  const text = String(value).trim();
  if (!/^-?\d{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text))
    throw new Error(`“${text}” is no ${what}: expected a whole number.`);
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}
