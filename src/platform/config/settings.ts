import { z } from 'zod';
import {
  anyCaseFlag,
  baseUrl,
  directory,
  flag,
  host,
  httpUrl,
  intervals,
  networkList,
  oneOf,
  origins,
  postgresServer,
  redisUrls,
  secretKey,
  textWith,
  trustProxy,
  wholeNumber,
} from './setting-schemas.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * One variable, which may also come as `NAME_FILE`. The schema turns its text, or undefined where it is unset, into a value. A
 * schema's message completes the sentence "expected …".
 */
export class Setting<T> {
  constructor(
    readonly name: string,
    readonly schema: z.ZodType<T, string | undefined>,
    /** The value may hold a password and is never printed. */
    readonly isSecret = false,
  ) {}
}

/** Settings by their property in the configuration. */
export interface SettingTree {
  readonly [property: string]: Setting<unknown> | SettingTree;
}

/** Every setting of the service, in the order of `.env.example`. */
export const SETTINGS = {
  /** Whether NODE_ENV is exactly `production`. */
  production: new Setting(
    'NODE_ENV',
    textWith(
      (text) => text === 'production' || !/^\s*prod/i.test(text),
      'production, in lower case and without spaces, or another word',
    )
      .transform((text) => text === 'production')
      .default(false),
  ),
  host: new Setting('HOST', host.prefault('127.0.0.1')),
  port: new Setting('PORT', wholeNumber(0, 65_535).prefault('3000')),
  database: {
    /** PostgreSQL; undefined: the embedded database in `dataDir`. */
    server: new Setting('DATABASE_URL', postgresServer.optional(), true),
    /** A direct connection to the same database, for migrations and commands; undefined: `server`. */
    migrationServer: new Setting('DATABASE_MIGRATION_URL', postgresServer.optional(), true),
    /** As given: a relative path is relative to the working directory. */
    dataDir: new Setting('DATA_DIR', directory.prefault('./data')),
    poolSize: new Setting('DATABASE_POOL_SIZE', wholeNumber(1, 100).prefault('8')),
  },
  redis: {
    /** Empty: counters in memory. Seed nodes with `cluster`, sentinels with `sentinelMaster`, else exactly one. */
    urls: new Setting('REDIS_URL', redisUrls.default([]), true),
    cluster: new Setting('REDIS_CLUSTER', flag.prefault('false')),
    /** The master's name at the sentinels; undefined: no sentinels. */
    sentinelMaster: new Setting('REDIS_SENTINEL_MASTER', z.string().optional()),
  },
  /** Days of usage and events of keys that are older than this many days are removed. */
  usageRetentionDays: new Setting('USAGE_RETENTION_DAYS', wholeNumber(1, 36_500).prefault('400')),
  /** False: the database keeps no events, as after `deploy/citus/distribute.sql`. */
  events: new Setting('EVENTS', flag.prefault('true')),
  /** Events that are older than this many days are removed. */
  eventRetentionDays: new Setting('EVENT_RETENTION_DAYS', wholeNumber(7, 3_650).prefault('30')),
  webhooks: {
    /** Encrypts the secrets of webhooks; undefined: they are kept in clear. */
    secretsKey: new Setting('WEBHOOK_SECRETS_KEY', secretKey.optional(), true),
    /** False: no event is sent, as for a restored copy. */
    delivery: new Setting('WEBHOOK_DELIVERY', flag.prefault('true')),
    /** What webhooks may reach beside public addresses. */
    allowedNetworks: new Setting('WEBHOOK_ALLOWED_NETWORKS', networkList.default([])),
  },
  /** How long a placed order holds its animal; 0: for ever. */
  orderHoldMinutes: new Setting('ORDER_HOLD_MINUTES', wholeNumber(0, 525_600).prefault('1440')),
  /** How long an idle connection stays open. */
  keepAliveMs: new Setting(
    'KEEP_ALIVE_SECONDS',
    wholeNumber(1, 3_600)
      .transform((seconds) => seconds * 1_000)
      .prefault('72'),
  ),
  shutdownDelayMs: new Setting('SHUTDOWN_DELAY_MS', wholeNumber(0, 600_000).prefault('1000')),
  metrics: {
    /** Undefined: no metrics port. */
    port: new Setting('METRICS_PORT', wholeNumber(0, 65_535).optional()),
    host: new Setting('METRICS_HOST', host.prefault('127.0.0.1')),
  },
  traces: {
    /** A collector's base URL; undefined: no traces are sent. */
    endpoint: new Setting('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl.optional()),
    /** The whole URL for traces; undefined: below `endpoint`. */
    tracesEndpoint: new Setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpUrl.optional()),
    exporter: new Setting('OTEL_TRACES_EXPORTER', oneOf(['otlp', 'none']).prefault('otlp')),
    isDisabled: new Setting('OTEL_SDK_DISABLED', anyCaseFlag.prefault('false')),
  },
  /** Ends in `/v1`, as does `stagingBaseUrl`. */
  publicBaseUrl: new Setting('PUBLIC_BASE_URL', baseUrl.optional()),
  stagingBaseUrl: new Setting('STAGING_BASE_URL', baseUrl.optional()),
  /** Empty: CORS is off. */
  corsOrigins: new Setting('CORS_ORIGINS', origins.default([])),
  /** A number of hops, or the proxies' addresses and networks; false: `X-Forwarded-For` is ignored. */
  trustProxy: new Setting(
    'TRUST_PROXY',
    trustProxy.optional().transform((value) => value ?? false),
  ),
  anonymousPerMinute: new Setting('ANONYMOUS_PER_MINUTE', wholeNumber(1, 2_147_483_647).prefault('300')),
  enforceSunset: new Setting('ENFORCE_SUNSET', flag.prefault('false')),
  /** Operations with a sunset date answer 410 within these. */
  sunsetBrownouts: new Setting('SUNSET_BROWNOUTS', intervals.default([])),
  /** Callers may ask for any documented error, to practise. */
  sandbox: new Setting('SANDBOX', flag.prefault('false')),
  logLevel: new Setting('LOG_LEVEL', oneOf(LOG_LEVELS).prefault('info')),
} satisfies SettingTree;

/** The settings of a tree, in its order. */
export function settingsOf(tree: SettingTree = SETTINGS): Setting<unknown>[] {
  return Object.values(tree).flatMap((node) => (node instanceof Setting ? [node] : settingsOf(node)));
}
