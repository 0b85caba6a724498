import { methodLabel, routeLabel, type RequestEnds } from '../request-end.js';
import type { Metrics } from './metrics.js';

/** From a refusal in memory to the longest time a request may take. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts and times every request. */
export function measureRequests(ends: RequestEnds, metrics: Metrics): void {
  const requests = metrics.counter(
    'http_requests_total',
    'Requests by the status of their response; 499 without one.',
    ['route', 'method', 'status'],
  );
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the arrival of a request to the end of its response or of its connection.',
    ['route', 'method'],
    BUCKETS_SECONDS,
  );
  ends.listen((request, { status, durationMs }) => {
    const route = routeLabel(request) ?? 'none';
    const method = methodLabel(request);
    requests.inc({ route, method, status });
    durations.observe({ route, method }, durationMs / 1000);
  });
}
