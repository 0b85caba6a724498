import { expect } from '@jest/globals';
import type { CommandResult, Service } from './service.js';
import { until } from './until.js';

/** What a command shows of a key. */
export type Key = Record<string, unknown>;

/** What a command printed with --json: one value, one line, nothing beside it. */
export function printed({ code, stdout, stderr }: CommandResult): Key {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as Key;
}

/** The same of a command that shows several. */
export function printedList(result: CommandResult): Key[] {
  return printed(result) as unknown as Key[];
}

/**
 * Resolves when the service has read of every change of a key so far, and has forgotten those keys: from then on a key is
 * looked up once. The service logs the end of a ban when it reads of it, and reads of the earlier changes no later.
 */
export async function untilKeyChangesAreRead(service: Service): Promise<void> {
  const id = String((await service.issue()).id);
  await service.keys('unban', id);
  await until(() => service.log.some(({ msg, keyId }) => msg === 'lifted the ban of a key' && keyId === id));
}

/** A few processes at a time: each is a whole Node. */
export async function eachInTurn<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += 4) {
    results.push(...(await Promise.all(items.slice(at, at + 4).map(work))));
  }
  return results;
}
