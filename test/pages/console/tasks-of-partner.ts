import { expect } from '@jest/globals';
import type { RunningService } from '../../support/service.js';
import { buttonOf, filtered, goTo, keyOfTab, said, settled, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';
import { fresh, MARKUP, ordered, partner, SECRET, staff, statusOf, tabTo } from './task.js';

export async function orderAnimal({ page, store }: Desk, service: RunningService) {
  const pet = await (await staff(service)).create(fresh('Bella'), 1);
  await goTo(page, filtered('animals', { id: String(pet.id) }));
  await buttonOf(page, `Order ${pet.name}`).click();
  await buttonOf(page, 'Place order').click();
  await said(page, `is placed: ${pet.name}.`);
  expect(await store.statusOf(pet.id)).toBe('pending');
}

export async function orderWithKeyboard({ page, store }: Desk, service: RunningService) {
  const pet = await (await staff(service)).create(fresh('Tom'), 1);
  await goTo(page, `/animals/${String(pet.id)}/show`);
  await tabTo(page, buttonOf(page, `Order ${pet.name}`));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  await said(page, `is placed: ${pet.name}.`);
  expect(await store.statusOf(pet.id)).toBe('pending');
}

export async function comeTooLate({ page }: Desk, service: RunningService) {
  const pet = await (await staff(service)).create(fresh('Coco'), 1);
  await goTo(page, `/animals/${String(pet.id)}/show`);
  await buttonOf(page, `Order ${pet.name}`).click();
  await (await partner(service)).placed(pet.id);
  await buttonOf(page, 'Place order').click();
  const reason = page.getByText('somebody else was faster');
  await reason.waitFor();
  await settled(page);
  expect(await reason.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await page.locator('main').getByText('pending').waitFor();
}

export async function followOrder({ page, store }: Desk, service: RunningService) {
  const { pet, order } = await ordered(service, store);
  await goTo(page, `/orders/${String(order.id)}/show`);
  await page.getByRole('link', { name: pet.name }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: pet.name }).waitFor();
}

export async function cancelOrder({ page, store }: Desk, service: RunningService) {
  const { pet, order } = await ordered(service, store);
  await goTo(page, `/orders/${String(order.id)}/show`);
  await buttonOf(page, `Cancel order: order ${String(order.id)}`).click();
  await page.getByText(`${pet.name} becomes available again.`).waitFor();
  await buttonOf(page.getByRole('dialog'), 'Cancel order').click();
  await said(page, `Order ${String(order.id)} is cancelled.`);
  expect(await statusOf(store, order)).toBe('cancelled');
}

export async function seeNoOthers({ page }: Desk, service: RunningService) {
  const { order } = await ordered(service);
  await goTo(page, `/orders/${String(order.id)}/show`);
  await page.getByText('There is no such order').waitFor();
}

export async function seeLimits({ page }: Desk) {
  await goTo(page, '/my-key');
  await page.getByText(/^[\d,]+ of 1,000,000 left$/).waitFor();
  await page.getByText('Reads the catalogue, and places and cancels its own orders.').waitFor();
}

export async function readUsage({ page }: Desk) {
  await goTo(page, '/my-key');
  await page.getByText('Refused', { exact: true }).first().waitFor();
  await buttonOf(page, 'As a table').click();
  await until(async () => (await page.getByRole('row').count()) === 31);
  await buttonOf(page, 'As a chart').click();
}

export async function rotateOwnKey({ page }: Desk, service: RunningService) {
  await goTo(page, '/my-key');
  const before = await keyOfTab(page);
  await buttonOf(page, 'Rotate').click();
  await buttonOf(page.getByRole('dialog'), 'Rotate').click();
  const secret = await page.getByLabel('Secret', { exact: true }).innerText();
  expect(secret).toMatch(SECRET);
  await buttonOf(page, 'Copy').click();
  await page.getByText('Copied.').waitFor();
  await buttonOf(page, 'I have stored it').click();
  await said(page, 'has a new secret.');
  expect([await keyOfTab(page), secret === before]).toEqual([secret, false]);
  for (const each of [before!, secret])
    expect((await service.call({ path: '/v1/pets', key: each })).status).toBe(200);
}

export async function readCatalogue({ page }: Desk, service: RunningService) {
  const pet = await (await staff(service)).create(MARKUP, 9_007_199_254_740_993n);
  await goTo(page, `/animals/${String(pet.id)}/show`);
  await page.getByText('9007199254740993').waitFor();
  await page.getByRole('heading', { name: MARKUP }).first().waitFor();
  expect(await buttonOf(page, /^Order/).count()).toBe(0);
}
