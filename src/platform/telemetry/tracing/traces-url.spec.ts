import { expect, it } from '@jest/globals';
import { loadConfig } from '../../config/load-config.js';
import { tracesUrlOf } from './traces-url.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' };
const TRACES = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/otlp?a=b' };

it.each<[NodeJS.ProcessEnv, string | undefined]>([
  [{}, undefined],
  [ENDPOINT, 'http://collector:4318/base/v1/traces'],
  [TRACES, 'https://traces.example/otlp?a=b'],
  [{ ...ENDPOINT, ...TRACES }, 'https://traces.example/otlp?a=b'],
  [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'otlp' }, 'http://collector:4318/base/v1/traces'],
  [{ ...ENDPOINT, ...TRACES, OTEL_TRACES_EXPORTER: 'none' }, undefined],
  [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'False' }, 'http://collector:4318/base/v1/traces'],
  [{ ...ENDPOINT, ...TRACES, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
])('the variables of OpenTelemetry say where traces go: %j', (env, expected) => {
  expect(tracesUrlOf(loadConfig(env).traces)).toBe(expected);
});
