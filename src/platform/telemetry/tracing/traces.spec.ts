import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TracerProvider } from '@opentelemetry/sdk-trace';

const pause = { ms: 0, end: (): void => undefined };
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: (ms: number, value: unknown) =>
    new Promise((resolve) => Object.assign(pause, { ms, end: () => resolve(value) })),
}));
Logger.overrideLogger(false);
const { Traces } = await import('./traces.js');

/** A stop whose last traces reach the collector when the test says so. */
function stop() {
  const sent = Promise.withResolvers<undefined>();
  jest.spyOn(TracerProvider.prototype, 'shutdown').mockReturnValue(sent.promise);
  const state = { hasEnded: false };
  const traces = new Traces('http://collector.example/v1/traces');
  const ended = traces.onApplicationShutdown().then(() => {
    state.hasEnded = true;
  });
  return { sent, state, ended };
}

describe('a stop', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('waits at most 3 s for the collector', async () => {
    const { state, ended } = stop();
    await new Promise(setImmediate);
    expect(state.hasEnded).toBe(false);
    expect(pause.ms).toBe(3_000);
    pause.end();
    await ended;
  });

  it.each(['has the last traces', 'refuses them'])('ends at once when the collector %s', async (outcome) => {
    const { sent, state, ended } = stop();
    await new Promise(setImmediate);
    expect(state.hasEnded).toBe(false);
    if (outcome === 'refuses them') sent.reject(new Error('refused'));
    else sent.resolve(undefined);
    await ended;
  });
});
