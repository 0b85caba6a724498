/** What a key may do, as a ladder: each step includes those before it. */
export const ACCESS_LEVELS = ['read', 'order', 'manage', 'admin'] as const;

export type Access = (typeof ACCESS_LEVELS)[number];

/** Whether a key with the access `held` may do what takes `required`. */
export function isAccessEnough(held: Access, required: Access): boolean {
  return ACCESS_LEVELS.indexOf(held) >= ACCESS_LEVELS.indexOf(required);
}
