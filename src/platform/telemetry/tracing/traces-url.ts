import type { Config } from '../../config/config.js';

/** The URL to which traces are sent; undefined: none are. The rules are those of OpenTelemetry's specification for its variables. */
export function tracesUrlOf(traces: Config['traces']): string | undefined {
  const { endpoint, tracesEndpoint, exporter, isDisabled } = traces;
  if (isDisabled || exporter === 'none') return undefined;
  if (tracesEndpoint !== undefined || endpoint === undefined) return tracesEndpoint;
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}
