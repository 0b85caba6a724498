import { expect } from '@jest/globals';
import type { Service } from '../service.js';

/** The URL of the metrics, which the service logs at start. */
export function metricsUrl(service: Service): string {
  return service.logged('serving metrics')[0]?.url as string;
}

/** The metrics of a service, as text. */
export async function scrape(service: Service): Promise<string> {
  const answer = await fetch(metricsUrl(service));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return answer.text();
}

/** The value of one series; undefined if it does not exist. */
export function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** The series of a metric, without their values. */
export function seriesOf(text: string, name: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.map((line) => line.replace(/ \S+$/, ''));
}
