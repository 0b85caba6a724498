import { expect } from '@jest/globals';
import type { RunningService } from '../../support/service.js';
import { buttonOf, goTo, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';
import { fresh, ordered } from './task.js';

/** Opens the feed, which shows what happens from then on. */
async function openFeed({ page }: Desk, address = '/events'): Promise<void> {
  await goTo(page, address);
  await page.getByRole('heading', { name: 'Events' }).first().waitFor();
  await page.getByRole('list', { name: 'Events' }).or(page.getByText('Nothing has happened yet')).waitFor();
}

export async function watch(desk: Desk) {
  const { page, store } = desk;
  await openFeed(desk);
  const { id, name } = await store.create(fresh('Watched'), 7);
  const lines = page.getByRole('list', { name: 'Events' });
  await lines.getByText(`${name} was added`).waitFor();
  await store.update(id, { name: `${name} II` });
  await lines.getByText(`${name} II was changed`).click();
  await until(() => page.url().endsWith(`#/animals/${String(id)}`));
  await page.getByLabel('Name').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe(`${name} II`);
}

export async function narrow(desk: Desk, service: RunningService) {
  const { page } = desk;
  await openFeed(desk);
  await buttonOf(page, 'Orders').click();
  const { pet, order } = await ordered(service);
  const line = page.getByRole('link', { name: `Order ${String(order.id)} of ${pet.name} was placed` });
  await line.waitFor();
  expect(await page.getByText(`${pet.name} was added`).count()).toBe(0);
  await buttonOf(page, 'Everything').click();
  await page.getByText(`${pet.name} was added`).waitFor();
  await page.goBack();
  await until(async () => (await buttonOf(page, 'Orders').getAttribute('aria-pressed')) === 'true');
  await line.click();
  await page
    .getByRole('heading', { name: `Order ${String(order.id)}` })
    .first()
    .waitFor();
}

export async function seeWhoWasRefused(desk: Desk, service: RunningService) {
  const { page } = desk;
  await openFeed(desk, '/events?kind=keys');
  const name = fresh('Impatient');
  const { key: secret } = await service.issue({ name, perMinute: 2, perDay: 1_000 });
  while (!(await service.call({ path: '/v1/pets', key: secret })).text.includes('api_key_banned'));
  await page
    .getByRole('link', { name: new RegExp(`^${name} is banned until`) })
    .first()
    .click();
  await page.getByRole('heading', { name }).first().waitFor();
}
