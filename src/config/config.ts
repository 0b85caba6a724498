import type { LogLevel, Pooler, TraceSampler } from './settings.js';

/** The injection token of the `Config` object. */
export const CONFIG = Symbol('CONFIG');

/** Every setting of the environment, validated once at start. An absent key: not set, and no default. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Whether NODE_ENV is exactly `production`. */
  readonly production: boolean;
  readonly database: {
    /** PostgreSQL; absent: the embedded database in `dataDir`. */
    readonly url?: string;
    /** A direct connection to the same database, for migrations and commands; absent: `url`. */
    readonly migrationUrl?: string;
    readonly pooler: Pooler;
    /** As given: a relative path is relative to the working directory. */
    readonly dataDir: string;
    readonly poolSize: number;
  };
  readonly redis: {
    /** Empty: counters in memory. Seed nodes with `cluster`, sentinels with `sentinelMaster`, else exactly one. */
    readonly urls: string[];
    readonly cluster: boolean;
    /** The master's name at the sentinels; absent: no sentinels. */
    readonly sentinelMaster?: string;
  };
  /** Processes that share the port. */
  readonly workers: number;
  /** Connections from callers to this process at a time. */
  readonly maxConnections: number;
  /** Days of usage and events of keys that are older than this many days are removed. */
  readonly usageRetentionDays: number;
  readonly shutdownDelayMs: number;
  readonly metrics: {
    /** Absent: no metrics port. */
    readonly port?: number;
    readonly host: string;
  };
  readonly traces: {
    /** A collector's base URL; absent: no traces are sent. */
    readonly endpoint?: string;
    readonly sampler: TraceSampler;
    /** From 0 to 1, for the ratio samplers. */
    readonly sampledShare: number;
  };
  /** Ends in `/v1`, as does `stagingBaseUrl`. */
  readonly publicBaseUrl?: string;
  readonly stagingBaseUrl?: string;
  /** Empty: CORS is off. */
  readonly corsOrigins: string[];
  /** A number of hops, or the proxies' addresses and networks; false: `X-Forwarded-For` is ignored. */
  readonly trustProxy: false | number | string[];
  readonly anonymousPerMinute: number;
  readonly enforceSunset: boolean;
  readonly logLevel: LogLevel;
}
