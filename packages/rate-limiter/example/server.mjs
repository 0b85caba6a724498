// An HTTP server whose callers may send 5 requests a minute. REDIS_URL: several of these servers share the counts.
import { createServer } from 'node:http';
import process from 'node:process';
import { createRateLimiter } from 'exact-rate-limiter';

const { PORT = '0', REDIS_URL } = process.env;
const limiter = await createRateLimiter({ redis: REDIS_URL ? { urls: [REDIS_URL] } : undefined });

const server = createServer(async (request, response) => {
  const customer = request.headers['x-customer'];
  const subject = customer
    ? { id: customer, perMinute: 5, perDay: 1_000 }
    : { id: request.socket.remoteAddress, perMinute: 5, perDay: null };
  const { outcome, nowMs, windows, bannedUntilMs } = await limiter.decide(subject);
  response.setHeader('X-RateLimit-Remaining', Math.min(...windows.map(({ remaining }) => remaining)));
  if (outcome === 'admitted') {
    response.end('hello\n');
    return;
  }
  const exhausted = windows.filter(({ remaining }) => remaining === 0);
  const againAtMs = Math.max(bannedUntilMs ?? 0, ...exhausted.map(({ resetAtMs }) => resetAtMs));
  response.setHeader('Retry-After', Math.max(1, Math.ceil((againAtMs - nowMs) / 1000)));
  response.writeHead(429).end(`${outcome}\n`);
});

server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => server.close(() => limiter.close()));
