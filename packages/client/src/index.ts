/** The package's entrance: what callers may import. Nothing inside the package imports it. */
export { AnimalStoreClient, type CallOptions, type ClientOptions, type PostOptions } from './client.js';
export { ApiError, ConnectionError, UnexpectedAnswerError, type ErrorCode } from './errors.js';
export type { Int64 } from './int64.js';
export { parseJson, stringifyJson } from './json.js';
export type { Limits } from './limits.js';
export type { Page } from './paging.js';
export type * from './shapes.js';
export type { Timer } from './timer.js';
