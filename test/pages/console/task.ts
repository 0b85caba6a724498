import type { Locator, Page } from 'playwright-core';
import type { KeyOptions } from '../../support/keys.js';
import type { RunningService } from '../../support/service.js';
import { orderOf, Store, type OrderShape, type PetShape } from '../../support/store.js';
import type { Desk } from '../../support/tools/console.js';

/** A task of somebody who uses the console. */
export type Task = [
  name: string,
  access: NonNullable<KeyOptions['access']>,
  run: (desk: Desk, service: RunningService) => Promise<void>,
];

export const SECRET = /^ask_[0-9A-Za-z]{49}$/;
export const MARKUP = '<img src=x onerror=alert(1)> & Sons';

let number = 0;
/** A name that no other test has used. */
export const fresh = (name: string) => `${name} ${String(process.pid)}-${String((number += 1))}`;

/** The operations with a key of the store's staff. */
export async function staff(service: RunningService): Promise<Store> {
  return new Store(service.url, await service.issueKey({ access: 'manage' }));
}

/** The operations with a key of a partner. */
export async function partner(service: RunningService, name = fresh('Partner')) {
  const { id, key } = await service.issue({ access: 'order', name });
  return Object.assign(new Store(service.url, key, id), { name });
}

/** An animal that a partner has ordered. */
export async function ordered(
  service: RunningService,
  by?: Store,
): Promise<{ pet: PetShape; order: OrderShape; by: Store }> {
  const pet = await (await staff(service)).create(fresh('Rex'), 7);
  const placedBy = by ?? (await partner(service));
  return { pet, order: await placedBy.placed(pet.id), by: placedBy };
}

export const statusOf = async (store: Store, { id }: OrderShape) =>
  orderOf(await store.get(`/v1/store/orders/${String(id)}`)).status;

/** Moves the focus with the keyboard to what has this name. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const focused = target.and(page.locator(':focus'));
  for (let tabs = 0; tabs < 100; tabs += 1) {
    await page.keyboard.press('Tab');
    if ((await focused.count()) > 0) return;
  }
  throw new Error(`the keyboard does not reach ${String(target)}`);
}
