import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a measured process (`--import`): adds up what the collector took of its main thread, and tells on request
 * over the process's channel. An entry per collection costs less than any trace of them.
 */
let collectedMs = 0;

if (isMainThread && process.send) {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) collectedMs += entry.duration;
  }).observe({ entryTypes: ['gc'] });
  process.on('message', () => process.send?.({ collectedMs }));
  process.channel?.unref();
}
