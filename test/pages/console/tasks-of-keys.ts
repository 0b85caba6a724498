import { expect } from '@jest/globals';
import type { RunningService } from '../../support/service.js';
import { buttonOf, filtered, goTo, said, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';
import { fresh, MARKUP, partner, SECRET } from './task.js';

const viewOf = (id: string) => `/keys/${id}/show`;

/** Chooses an option of a field. */
async function choose({ page }: Desk, field: string, option: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option }).click();
}

export async function findBySecret({ page, isPhone }: Desk, service: RunningService) {
  const { name, key: secret } = await partner(service);
  await goTo(page, filtered('keys', {}));
  if (isPhone) {
    await buttonOf(page, 'Filters').click();
    await page
      .getByRole('menuitemcheckbox', { name: 'Name, reference or key' })
      .or(page.getByRole('menuitem', { name: 'Name, reference or key' }))
      .first()
      .click();
  }
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  await page.getByLabel('Name, reference or key').fill(secret);
  await until(() => page.url().includes(secret.slice(0, 12)));
  await page.getByText(name).first().waitFor();
  await until(() => sent.some((each) => each.includes(secret.slice(0, 12))));
  expect([page.url(), ...sent].filter((each) => each.includes(secret.slice(0, 13)))).toEqual([]);
}

export async function issue({ page }: Desk, service: RunningService) {
  const name = fresh(MARKUP);
  await goTo(page, '/keys/create');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Reference').fill('crm-7');
  await buttonOf(page, 'In 365 days').click();
  await buttonOf(page, 'Issue').click();
  const secret = await page.getByLabel('Secret', { exact: true }).innerText();
  await page.keyboard.press('Escape');
  await buttonOf(page, 'I have stored it').click();
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
  const { body } = await service.call({ path: '/v1/rate-limit', key: secret });
  expect(body).toMatchObject({ plan: 'free', key: { name, access: 'order' } });
  expect(await page.content()).not.toContain(secret);
}

export async function giveLimits(desk: Desk, service: RunningService) {
  const { page } = desk;
  const { id, key: secret } = await service.issue({
    name: fresh('Grows'),
    plan: 'free',
    access: 'order',
  });
  await goTo(page, `/keys/${id}`);
  await page.getByLabel('Name').waitFor();
  await choose(desk, 'Plan', /^enterprise/);
  await page.getByLabel('Requests a minute').fill('70');
  await page.getByLabel('Requests a day').fill('7000');
  await buttonOf(page, 'Save').click();
  await said(page, 'is saved.');
  await page.getByText('enterprise: 70 a minute, 7,000 a day').waitFor();
  await until(async () =>
    (await service.call({ path: '/v1/rate-limit', key: secret })).text.includes('7000'),
  );
}

export async function rotate({ page }: Desk, service: RunningService) {
  const { id, name } = await partner(service);
  await goTo(page, viewOf(id));
  await buttonOf(page, 'Rotate').click();
  await buttonOf(page.getByRole('dialog'), 'Rotate').click();
  expect(await page.getByLabel('Secret', { exact: true }).innerText()).toMatch(SECRET);
  await buttonOf(page, 'I have stored it').click();
  await said(page, `${name} has a new secret.`);
}

export async function revoke({ page }: Desk, service: RunningService) {
  const { id, name, key: secret } = await partner(service);
  await goTo(page, viewOf(id));
  await buttonOf(page, 'Revoke').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type the name to confirm').fill('Partner');
  await page.keyboard.press('Enter');
  await dialog.getByText('That is not the name.').waitFor();
  await dialog.getByLabel('Type the name to confirm').fill(name);
  await page.keyboard.press('Enter');
  await said(page, 'is revoked.');
  await until(async () => (await service.call({ path: '/v1/pets', key: secret })).status === 401);
}

export async function unban({ page }: Desk, service: RunningService) {
  const { id, key: secret } = await service.issue({ name: fresh('Banned'), perMinute: 2, perDay: 1_000 });
  while (!(await service.call({ path: '/v1/pets', key: secret })).text.includes('api_key_banned'));
  await goTo(page, viewOf(id));
  await until(async () => {
    // The ban is written to the row after the response.
    if ((await buttonOf(page, 'Lift the ban').count()) > 0) return true;
    await buttonOf(page, 'Refresh').click();
    return false;
  });
  await buttonOf(page, 'Lift the ban').click();
  await said(page, 'is lifted.');
}

export async function readHistory({ page, store }: Desk, service: RunningService) {
  const { id } = await service.issue({ name: fresh('Past'), plan: 'free', access: 'order' });
  await store.send({ method: 'PATCH', path: `/v1/keys/${id}`, body: { plan: 'pro' } });
  await goTo(page, viewOf(id));
  await page.getByText('An operator, with a command, issued the key.').waitFor();
  await page.getByText('changed the plan from “free” to “pro”').waitFor();
}
