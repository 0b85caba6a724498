export const KEY_EVENT_KINDS = ['created', 'updated', 'rotated', 'revoked', 'banned', 'unbanned'] as const;
export type KeyEventKind = (typeof KEY_EVENT_KINDS)[number];

/** Each changed field with its values before and after. Times are RFC 3339. */
export type KeyEventChanges = Record<
  string,
  { before: string | number | null; after: string | number | null }
>;
