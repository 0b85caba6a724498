import type { LogLevel, TraceSampler } from './settings.js';

/** The token under which Nest hands out the `Config` object. */
export const CONFIG = Symbol('CONFIG');

/** Everything the environment decides, checked once at start. An absent key means: not set, and no default. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Whether NODE_ENV is exactly `production`. */
  readonly production: boolean;
  readonly database: {
    /** PostgreSQL; absent: the embedded database in `dataDir`. */
    readonly url?: string;
    /** As given, so a relative path still counts from the working directory. */
    readonly dataDir: string;
    readonly poolSize: number;
  };
  readonly redis: {
    /** Empty: counters in memory. Exactly one without `cluster`, one or more seed nodes with it. */
    readonly urls: string[];
    readonly cluster: boolean;
  };
  readonly shutdownDelayMs: number;
  readonly metrics: {
    /** Absent: no metrics port. */
    readonly port?: number;
    readonly host: string;
  };
  readonly traces: {
    /** A collector's address, without the path; absent: none are sent. */
    readonly endpoint?: string;
    readonly sampler: TraceSampler;
    /** From 0 to 1, for the samplers that go by it. */
    readonly sampledShare: number;
  };
  /** Ends in `/v1`, as does `stagingBaseUrl`. */
  readonly publicBaseUrl?: string;
  readonly stagingBaseUrl?: string;
  /** Empty: CORS is off. */
  readonly corsOrigins: string[];
  /** A number of hops, or the proxies' addresses and networks; false: `X-Forwarded-For` is never believed. */
  readonly trustProxy: false | number | string[];
  readonly anonymousPerMinute: number;
  readonly enforceSunset: boolean;
  readonly logLevel: LogLevel;
}
