import { describe, expect, test } from '@jest/globals';
import { problems } from './config-under-test.js';
import { loadConfig } from './load-config.js';

describe('settings of PostgreSQL', () => {
  test('require DATABASE_URL for a pooler and a direct connection', () => {
    expect(
      problems({ DATABASE_POOLER: 'transaction', DATABASE_MIGRATION_URL: 'postgres://direct/a' }),
    ).toEqual([
      'DATABASE_MIGRATION_URL is set, but DATABASE_URL is not',
      'DATABASE_POOLER is transaction, but DATABASE_URL, which names the pooler, is not set',
    ]);
    expect(problems({ DATABASE_POOLER: 'transaction', DATABASE_URL_FILE: '/nowhere' })).toHaveLength(1);
  });
});

describe('settings of Redis', () => {
  test('require REDIS_CLUSTER for several URLs', () => {
    expect(problems({ REDIS_URL: 'redis://a,redis://b' })).toEqual([
      'REDIS_URL: expected exactly one URL without REDIS_CLUSTER and REDIS_SENTINEL_MASTER; its value is not shown',
    ]);
  });

  test.each([
    [{}, 'REDIS_SENTINEL_MASTER is set, but REDIS_URL, which lists the sentinels, is not'],
    [
      { REDIS_URL: 'redis://a', REDIS_CLUSTER: 'true' },
      'REDIS_SENTINEL_MASTER and REDIS_CLUSTER exclude each other',
    ],
  ])('refuse sentinels with %j', (env, problem) => {
    expect(problems({ REDIS_SENTINEL_MASTER: 'limits', ...env })).toEqual([problem]);
  });

  test('accept one seed node as a cluster', () => {
    const { redis } = loadConfig({ REDIS_URL: 'redis://a', REDIS_CLUSTER: 'true' });
    expect(redis).toEqual({ urls: ['redis://a'], cluster: true });
  });

  test.each([
    ['redis://a/0,redis://b/', []],
    [
      'redis://a,redis://b/3',
      ['REDIS_URL: expected no database number other than 0 with REDIS_CLUSTER; its value is not shown'],
    ],
  ])('refuse a database of a cluster: %s', (url, expected) => {
    expect(problems({ REDIS_URL: url, REDIS_CLUSTER: 'true' })).toEqual(expected);
  });

  test('report one mistake in one line', () => {
    expect(problems({ REDIS_URL: 'redis://a,redis://b', REDIS_CLUSTER: 'yes' })).toHaveLength(1);
    expect(problems({ REDIS_URL: 'x', REDIS_CLUSTER: 'true' })).toHaveLength(1);
    expect(problems({ REDIS_URL: '', REDIS_CLUSTER: 'true' })).toHaveLength(1);
    expect(problems({ REDIS_URL_FILE: '/nowhere', REDIS_CLUSTER: 'true' })).toHaveLength(1);
  });
});
