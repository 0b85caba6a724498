/** The Content-Type of every JSON response. With the charset included, Fastify sends a string unchanged. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** ECMAScript's JSON.rawJSON, which TypeScript does not declare yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => object };

/** JSON.stringify that writes a bigint exactly, as its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  const exact = (_name: string, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(member.toString()) : member;
  return JSON.stringify(value, exact, indent);
}
