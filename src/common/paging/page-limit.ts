/** How many items a page of any list shows. */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
