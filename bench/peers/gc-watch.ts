import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a measured process (`--import`): sums the garbage collection time of its main thread, and reports it on request
 * over the channel of the process. One entry per collection is cheaper than a trace.
 */
let collectedMs = 0;

if (isMainThread && process.send) {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) collectedMs += entry.duration;
  }).observe({ entryTypes: ['gc'] });
  process.on('message', () => process.send?.({ collectedMs }));
  process.channel?.unref();
}
