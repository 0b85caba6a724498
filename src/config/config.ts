import type { Settings } from './settings.js';

/** The injection token of the `Config` object. */
export const CONFIG = Symbol('CONFIG');

/** Every setting of the environment, validated once at start. Undefined: not set, and no default. */
export type Config = ReturnType<typeof toConfig>;

/** Makes the configuration of validated settings. `as const` makes every level of it read-only. */
export function toConfig(settings: Settings) {
  return {
    host: settings.HOST,
    port: settings.PORT,
    /** Whether NODE_ENV is exactly `production`. */
    production: settings.NODE_ENV === 'production',
    database: {
      /** PostgreSQL; undefined: the embedded database in `dataDir`. */
      url: settings.DATABASE_URL,
      /** A direct connection to the same database, for migrations and commands; undefined: `url`. */
      migrationUrl: settings.DATABASE_MIGRATION_URL,
      pooler: settings.DATABASE_POOLER,
      /** As given: a relative path is relative to the working directory. */
      dataDir: settings.DATA_DIR,
      poolSize: settings.DATABASE_POOL_SIZE,
    },
    redis: {
      /** Empty: counters in memory. Seed nodes with `cluster`, sentinels with `sentinelMaster`, else exactly one. */
      urls: settings.REDIS_URL ?? [],
      cluster: settings.REDIS_CLUSTER,
      /** The master's name at the sentinels; undefined: no sentinels. */
      sentinelMaster: settings.REDIS_SENTINEL_MASTER,
    },
    /** Processes that share the port. */
    workers: settings.WORKERS,
    /** Connections from callers to this process at a time. */
    maxConnections: settings.MAX_CONNECTIONS,
    /** Days of usage and events of keys that are older than this many days are removed. */
    usageRetentionDays: settings.USAGE_RETENTION_DAYS,
    shutdownDelayMs: settings.SHUTDOWN_DELAY_MS,
    metrics: {
      /** Undefined: no metrics port. */
      port: settings.METRICS_PORT,
      host: settings.METRICS_HOST,
    },
    traces: {
      /** A collector's base URL; undefined: no traces are sent. */
      endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      sampler: settings.OTEL_TRACES_SAMPLER,
      /** The share of requests that the ratio samplers trace, from 0 to 1. */
      sampledShare: settings.OTEL_TRACES_SAMPLER_ARG,
    },
    /** Ends in `/v1`, as does `stagingBaseUrl`. */
    publicBaseUrl: settings.PUBLIC_BASE_URL,
    stagingBaseUrl: settings.STAGING_BASE_URL,
    /** Empty: CORS is off. */
    corsOrigins: settings.CORS_ORIGINS ?? [],
    /** A number of hops, or the proxies' addresses and networks; false: `X-Forwarded-For` is ignored. */
    trustProxy: settings.TRUST_PROXY ?? false,
    anonymousPerMinute: settings.ANONYMOUS_PER_MINUTE,
    enforceSunset: settings.ENFORCE_SUNSET,
    logLevel: settings.LOG_LEVEL,
  } as const;
}
