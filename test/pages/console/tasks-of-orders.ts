import { expect } from '@jest/globals';
import type { RunningService } from '../../support/service.js';
import { buttonOf, filtered, goTo, said, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';
import { ordered, partner, statusOf, tabTo } from './task.js';

/** Selects every row of the list. */
async function selectAll({ page, isPhone }: Desk, count: number): Promise<void> {
  if (!isPhone) return page.getByRole('checkbox').first().check();
  const boxes = page.getByRole('checkbox', { name: /^Select order/ });
  await until(async () => (await boxes.count()) === count);
  for (const box of await boxes.all()) await box.check();
}

export async function seeWhatWaits({ page }: Desk, service: RunningService) {
  await ordered(service);
  await goTo(page, '/orders');
  await goTo(page, '/');
  await page.getByRole('heading', { name: /^Waiting for approval: \d+\+?$/ }).waitFor();
}

export async function approve({ page, store }: Desk, service: RunningService) {
  const { order } = await ordered(service);
  await goTo(page, filtered('orders', { id: String(order.id) }));
  await buttonOf(page, `Approve: order ${String(order.id)}`).click();
  await said(page, `Order ${String(order.id)} is approved.`);
  expect(await statusOf(store, order)).toBe('approved');
}

export async function approveWithKeyboard({ page, store }: Desk, service: RunningService) {
  const { order } = await ordered(service);
  await goTo(page, `/orders/${String(order.id)}/show`);
  await tabTo(page, buttonOf(page, `Approve: order ${String(order.id)}`));
  await page.keyboard.press('Enter');
  await said(page, `Order ${String(order.id)} is approved.`);
  expect(await statusOf(store, order)).toBe('approved');
}

export async function deliver({ page, store }: Desk, service: RunningService) {
  const { order, pet } = await ordered(service);
  await store.transition(order.id, 'approve');
  await goTo(page, `/orders/${String(order.id)}/show`);
  await buttonOf(page, `Deliver: order ${String(order.id)}`).click();
  await page.getByText(`${pet.name} becomes sold, for good.`).waitFor();
  await buttonOf(page.getByRole('dialog'), 'Deliver').click();
  await said(page, `Order ${String(order.id)} is delivered.`);
  expect(await store.statusOf(pet.id)).toBe('sold');
}

export async function approveSeveral(desk: Desk, service: RunningService) {
  const { page, store } = desk;
  const by = await partner(service);
  const placed = [await ordered(service, by), await ordered(service, by), await ordered(service, by)];
  await goTo(page, filtered('orders', { keyId: by.id }));
  await buttonOf(page, `Approve: order ${String(placed[2]!.order.id)}`).waitFor();
  await selectAll(desk, 3);
  await page.getByText('3 items selected').waitFor();
  await buttonOf(page, 'Approve').click();
  await by.transition(placed[1]!.order.id, 'cancel');
  await buttonOf(page, 'Approve 3').click();
  const results = page.getByRole('list', { name: 'Results' });
  await page.getByText('Approve: the result').waitFor();
  await results.getByText(`Order ${String(placed[2]!.order.id)}: approved`).waitFor();
  expect(await results.getByText(': approved').count()).toBe(2);
  await buttonOf(page, 'Close').click();
  expect(await statusOf(store, placed[1]!.order)).toBe('cancelled');
}

export async function narrowQueue({ page }: Desk, service: RunningService) {
  const { order } = await ordered(service);
  await goTo(page, filtered('orders', { id: String(order.id) }));
  await buttonOf(page, 'Waiting').click();
  await until(() => page.url().includes('placed'));
  await page.reload();
  const chip = buttonOf(page, 'Waiting');
  await chip.waitFor();
  expect(await chip.getAttribute('aria-pressed')).toBe('true');
  await page.goBack();
  await until(async () => (await chip.getAttribute('aria-pressed')) === 'false');
}

export async function openAndGoBack({ page }: Desk, service: RunningService) {
  const { pet, order } = await ordered(service);
  await goTo(page, filtered('orders', { id: String(order.id) }));
  await page.getByText(pet.name).first().click();
  await page
    .getByRole('heading', { name: `Order ${String(order.id)}` })
    .first()
    .waitFor();
  await page.goBack();
  await buttonOf(page, `Approve: order ${String(order.id)}`).waitFor();
}
