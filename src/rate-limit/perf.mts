import { connectRedis, waitUntilReady } from './redis-client.js';
import { RedisCounters } from './redis-counters.js';
const redis: any = connectRedis({ url: process.env.URL! }, console.log); await waitUntilReady(redis, 5000);
const prefix = 'bench-' + process.pid + ':';
const counters = new RedisCounters(redis, { keyPrefix: prefix, replyWithinMs: 5000 });
const lim = { perMinute: 1e6, perDay: 1e8, canBeBanned: true, ban: null, forgivenAtMs: 0 };
const INCR = `local c = redis.call('INCRBY', KEYS[1], ARGV[1]) if c == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end return { c, redis.call('PTTL', KEYS[1]) }`;
redis.defineCommand('rlf', { numberOfKeys: 1, lua: INCR });
async function load(n: number, one: (i: number) => Promise<unknown>) {
  await redis.config('RESETSTAT'); const c0 = process.cpuUsage();
  let i = 0; const t = performance.now();
  await Promise.all(Array.from({ length: 32 }, async () => { while (i < n) await one(i++); }));
  const ms = performance.now() - t; const c = process.cpuUsage(c0);
  const stat = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await redis.info('commandstats'))!;
  return `${Math.round(n / ms * 1000)}/s; node cpu ${((c.user + c.system) / n).toFixed(1)} us each; evalsha calls ${stat[1]}, redis usec/decision ${(Number(stat[2]) / n).toFixed(2)}`;
}
for (let r = 0; r < 2; r++) for (const keys of [1, 1000]) {
  const subs = Array.from({ length: keys }, (_, k) => ({ id: `key:bench-${k}`, ...lim }));
  console.log(keys, 'ours  ', await load(30_000, (i) => counters.decide(subs[i % keys]!)));
  console.log(keys, 'theirs', await load(30_000, async (i) => { await redis.rlf(`${prefix}a${i % keys}`, 1, 60); await redis.rlf(`${prefix}b${i % keys}`, 1, 86400); }));
}
process.exit();
