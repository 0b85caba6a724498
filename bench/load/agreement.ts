import { deepStrictEqual } from 'node:assert';
import type { Secrets } from './shop-data.js';
import type { System } from './systems.js';
import { callsOf, MIXED, ROUTES, type Route } from './workloads.js';

/** Covers each status and filter, a create of the mix, and more than one key. */
const CALLS = 20;

/** @throws Error unless all systems give the same responses, because a system that does less is not comparable */
export async function checkAgreement(systems: System[], secrets: Secrets): Promise<void> {
  for (const route of [...ROUTES, ...MIXED]) {
    const [first, ...others] = await Promise.all(
      systems.map(async (system) => ({ name: system.name, bodies: await answersOf(system, route, secrets) })),
    );
    for (const other of others) {
      deepStrictEqual(
        other.bodies,
        first?.bodies,
        `${route}: ${other.name} answers differently from ${first?.name}`,
      );
    }
  }
}

async function answersOf(system: System, route: Route, secrets: Secrets): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (const { text, status } of callsOf(route, system.name, secrets).slice(0, CALLS)) {
    const [head = '', body] = text.split('\r\n\r\n');
    const [method = '', path = ''] = head.split(' ');
    const authorization = /^Authorization: (.*)$/m.exec(head)?.[1] ?? '';
    const answer = await fetch(`http://127.0.0.1:${system.port}${path}`, {
      method,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body } : {}),
    });
    if (answer.status !== status)
      throw new Error(`${system.name}: ${method} ${path} answered ${answer.status}`);
    bodies.push(await answer.json());
  }
  return bodies;
}
