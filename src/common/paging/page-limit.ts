/** The number of items on a page, for every list. */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
