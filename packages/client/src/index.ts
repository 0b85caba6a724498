/** The package's public API. No file of the package imports it. */
export type { CallOptions, ChangeOptions, ClientOptions, PostOptions, Tagged } from './calls.js';
export { AnimalStoreClient } from './client.js';
export { ApiError, ConnectionError, UnexpectedAnswerError, type ErrorCode } from './errors.js';
export type { Int64 } from './int64.js';
export { parseJson, stringifyJson } from './json.js';
export { Follower, type FeedPage, type FollowOptions } from './follow.js';
export type { Limits } from './headers.js';
export type { Page } from './paging.js';
export type * from './shapes.js';
export type { Timer } from './timer.js';
export { verifyWebhook, WebhookVerificationError } from './webhooks.js';
