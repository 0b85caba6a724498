export type { LoadDailyCount } from './daily-count.js';
export {
  type Ban,
  type Decision,
  type Outcome,
  type Source,
  type Subject,
  type WindowName,
  type WindowState,
  WINDOW_MS,
} from './decision.js';
export type { Logger } from './logger.js';
export { createRateLimiter, RateLimiter, type RateLimiterOptions } from './rate-limiter.js';
export type { RedisTarget } from './redis/connect.js';
export type { Clock } from './time.js';
