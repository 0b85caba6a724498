import { expect } from '@jest/globals';
import type { KeyOptions } from '../../support/keys.js';
import { Store, type OrderShape, type PetShape } from '../../support/store.js';
import type { RunningService } from '../../support/service.js';
import { buttonOf, filtered, goTo, keyOfTab, said, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';

export interface Task {
  task: string;
  access: NonNullable<KeyOptions['access']>;
  run: (desk: Desk, service: RunningService) => Promise<void>;
}

const SECRET = /^ask_[0-9A-Za-z]{49}$/;
const MARKUP = '<img src=x onerror=alert(1)> & Sons';
let number = 0;
/** A name that no other test has used. */
const fresh = (name: string) => `${name} ${String(process.pid)}-${String((number += 1))}`;

const staff = async (service: RunningService) =>
  new Store(service.url, await service.issueKey({ access: 'manage' }));
const partner = async (service: RunningService, name = fresh('Partner')) => {
  const { id, key } = await service.issue({ access: 'order', name });
  return Object.assign(new Store(service.url, key, id), { name });
};

/** An animal that a partner has ordered. */
async function ordered(
  service: RunningService,
  by?: Store,
): Promise<{ pet: PetShape; order: OrderShape; by: Store }> {
  const pet = await (await staff(service)).create(fresh('Rex'), 7);
  const placedBy = by ?? (await partner(service));
  return { pet, order: await placedBy.placed(pet.id), by: placedBy };
}

const statusOf = async (store: Store, { id }: OrderShape) =>
  (await store.get(`/v1/store/orders/${String(id)}`)).body.status;

/** Selects every row of the list. */
async function selectAll({ page, isPhone }: Desk, count: number): Promise<void> {
  if (!isPhone) return page.getByRole('checkbox').first().check();
  const boxes = page.getByRole('checkbox', { name: /^Select order/ });
  await until(async () => (await boxes.count()) === count);
  for (const box of await boxes.all()) await box.check();
}

/** Chooses an option of a field. */
async function choose({ page }: Desk, field: string, option: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option }).click();
}

const key = (id: string) => `/keys/${id}/show`;

/** The tasks of a store's day. */
export const TASKS: Task[] = [
  {
    task: 'a partner orders an animal',
    access: 'order',
    async run({ page, store }, service) {
      const pet = await (await staff(service)).create(fresh('Bella'), 1);
      await goTo(page, filtered('animals', { id: String(pet.id) }));
      await buttonOf(page, `Order ${pet.name}`).click();
      await buttonOf(page, 'Place order').click();
      await said(page, `is placed: ${pet.name}.`);
      expect(await store.statusOf(pet.id)).toBe('pending');
    },
  },
  {
    task: 'a partner orders an animal with the keyboard alone',
    access: 'order',
    async run({ page, store }, service) {
      const pet = await (await staff(service)).create(fresh('Tom'), 1);
      await goTo(page, `/animals/${String(pet.id)}/show`);
      await buttonOf(page, `Order ${pet.name}`).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Enter');
      await said(page, `is placed: ${pet.name}.`);
      expect(await store.statusOf(pet.id)).toBe('pending');
    },
  },
  {
    task: 'a partner is told that somebody was faster',
    access: 'order',
    async run({ page }, service) {
      const pet = await (await staff(service)).create(fresh('Coco'), 1);
      await goTo(page, `/animals/${String(pet.id)}/show`);
      await buttonOf(page, `Order ${pet.name}`).click();
      await (await partner(service)).placed(pet.id);
      await buttonOf(page, 'Place order').click();
      await page.getByText('somebody else was faster').waitFor();
      await page.keyboard.press('Escape');
    },
  },
  {
    task: 'a partner follows an order by its address',
    access: 'order',
    async run({ page, store }, service) {
      const { pet, order } = await ordered(service, store);
      await goTo(page, `/orders/${String(order.id)}/show`);
      await page.getByRole('link', { name: pet.name }).waitFor();
      await page.reload();
      await page.getByRole('link', { name: pet.name }).waitFor();
    },
  },
  {
    task: 'a partner cancels an order',
    access: 'order',
    async run({ page, store }, service) {
      const { pet, order } = await ordered(service, store);
      await goTo(page, `/orders/${String(order.id)}/show`);
      await buttonOf(page, `Cancel order: order ${String(order.id)}`).click();
      await page.getByText(`${pet.name} becomes available again.`).waitFor();
      await buttonOf(page.getByRole('dialog'), 'Cancel order').click();
      await said(page, `Order ${String(order.id)} is cancelled.`);
      expect(await statusOf(store, order)).toBe('cancelled');
    },
  },
  {
    task: 'a partner does not see the orders of others',
    access: 'order',
    async run({ page }, service) {
      const { order } = await ordered(service);
      await goTo(page, `/orders/${String(order.id)}/show`);
      await page.getByText('There is no such order').waitFor();
    },
  },
  {
    task: 'a partner sees what is left',
    access: 'order',
    async run({ page }) {
      await goTo(page, '/my-key');
      await page.getByText(/^[\d,]+ of 1,000,000 left$/).waitFor();
      await page.getByText('Reads the catalogue, and places and cancels its own orders.').waitFor();
    },
  },
  {
    task: 'a partner reads the last 30 days as a chart and as a table',
    access: 'order',
    async run({ page }) {
      await goTo(page, '/my-key');
      await page.getByText('Refused', { exact: true }).first().waitFor();
      await buttonOf(page, 'As a table').click();
      await until(async () => (await page.getByRole('row').count()) === 31);
      await buttonOf(page, 'As a chart').click();
    },
  },
  {
    task: 'a partner gives its key a new secret and goes on with it',
    access: 'order',
    async run({ page }, service) {
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
    },
  },
  {
    task: 'somebody reads the catalogue with a key that only reads',
    access: 'read',
    async run({ page }, service) {
      const pet = await (await staff(service)).create(MARKUP, 9_007_199_254_740_993n);
      await goTo(page, `/animals/${String(pet.id)}/show`);
      await page.getByText('9007199254740993').waitFor();
      await page.getByRole('heading', { name: MARKUP }).first().waitFor();
      expect(await buttonOf(page, /^Order/).count()).toBe(0);
    },
  },
  {
    task: 'the store sees what waits',
    access: 'manage',
    async run({ page }, service) {
      await ordered(service);
      await goTo(page, '/orders');
      await goTo(page, '/');
      await page.getByRole('heading', { name: /^Waiting for approval: \d+\+?$/ }).waitFor();
    },
  },
  {
    task: 'the store approves an order',
    access: 'manage',
    async run({ page, store }, service) {
      const { order } = await ordered(service);
      await goTo(page, filtered('orders', { id: String(order.id) }));
      await buttonOf(page, `Approve: order ${String(order.id)}`).click();
      await said(page, `Order ${String(order.id)} is approved.`);
      expect(await statusOf(store, order)).toBe('approved');
    },
  },
  {
    task: 'the store approves an order with the keyboard alone',
    access: 'manage',
    async run({ page, store }, service) {
      const { order } = await ordered(service);
      await goTo(page, `/orders/${String(order.id)}/show`);
      await buttonOf(page, `Approve: order ${String(order.id)}`).waitFor();
      for (let tabs = 0; tabs < 60; tabs += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate<boolean>("document.activeElement.ariaLabel?.startsWith('Approve') ?? false"))
          break;
      }
      await page.keyboard.press('Enter');
      await said(page, `Order ${String(order.id)} is approved.`);
      expect(await statusOf(store, order)).toBe('approved');
    },
  },
  {
    task: 'the store delivers an order',
    access: 'manage',
    async run({ page, store }, service) {
      const { order, pet } = await ordered(service);
      await store.transition(order.id, 'approve');
      await goTo(page, `/orders/${String(order.id)}/show`);
      await buttonOf(page, `Deliver: order ${String(order.id)}`).click();
      await page.getByText(`${pet.name} becomes sold, for good.`).waitFor();
      await buttonOf(page.getByRole('dialog'), 'Deliver').click();
      await said(page, `Order ${String(order.id)} is delivered.`);
      expect(await store.statusOf(pet.id)).toBe('sold');
    },
  },
  {
    task: 'the store approves several orders at once, of which one was cancelled meanwhile',
    access: 'manage',
    async run(desk, service) {
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
      await results.getByText(`Order ${String(placed[2]!.order.id)}: approved`).waitFor();
      expect(await results.getByText(': approved').count()).toBe(2);
      await said(page, '2 orders approved, 1 not.');
      await buttonOf(page, 'Close').click();
      expect(await statusOf(store, placed[1]!.order)).toBe('cancelled');
    },
  },
  {
    task: 'the store narrows the queue, and the address keeps it',
    access: 'manage',
    async run({ page }, service) {
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
    },
  },
  {
    task: 'the store opens an order and goes Back to the list',
    access: 'manage',
    async run({ page }, service) {
      const { pet, order } = await ordered(service);
      await goTo(page, filtered('orders', { id: String(order.id) }));
      await page.getByText(pet.name).first().click();
      await page
        .getByRole('heading', { name: `Order ${String(order.id)}` })
        .first()
        .waitFor();
      await page.goBack();
      await buttonOf(page, `Approve: order ${String(order.id)}`).waitFor();
    },
  },
  {
    task: 'the store adds an animal with the keyboard alone',
    access: 'manage',
    async run({ page, store }) {
      const name = fresh('Minka');
      await goTo(page, '/animals/create');
      await page.getByLabel('Name').waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press('Tab');
      await page.keyboard.type('9223372036854775807');
      await page.keyboard.press('Enter');
      await said(page, `${name} is added`);
      const found = (await store.list('categoryId=9223372036854775807')).text;
      expect(found).toContain(name);
    },
  },
  {
    task: 'the store adds one animal after the other',
    access: 'manage',
    async run({ page }) {
      await goTo(page, '/animals/create');
      for (const name of [fresh('Felix'), fresh('Leo')]) {
        await page.getByLabel('Name').fill(name);
        await page.getByLabel('Category').fill('7');
        await buttonOf(page, 'Add, and another').click();
        await said(page, `${name} is added`);
        await until(async () => (await page.getByLabel('Name').inputValue()) === '');
      }
    },
  },
  {
    task: 'the store is told beside the field what is wrong',
    access: 'manage',
    async run({ page }) {
      await goTo(page, '/animals');
      await goTo(page, '/animals/create');
      await page.getByLabel('Category').fill('seven');
      await buttonOf(page, 'Add').click();
      await page.getByText('Give the animal a name.').waitFor();
      await page.getByText('A category is a whole number; “seven” is none.').waitFor();
    },
  },
  {
    task: 'the store renames an animal',
    access: 'manage',
    async run({ page, store }) {
      const { id } = await store.create(fresh('Rex'), 7);
      const name = fresh('Rex II');
      await goTo(page, `/animals/${String(id)}`);
      await page.getByLabel('Name').fill(name);
      await buttonOf(page, 'Save').click();
      await said(page, `${name} is saved.`);
      expect((await store.list(`ids=${String(id)}`)).text).toContain(name);
    },
  },
  {
    task: 'the store deletes an animal',
    access: 'manage',
    async run({ page, store }) {
      const { id, name } = await store.create(fresh('Gone'), 7);
      await goTo(page, `/animals/${String(id)}`);
      await buttonOf(page, 'Delete').click();
      await buttonOf(page.getByRole('dialog'), 'Delete').click();
      await said(page, `${name} is deleted.`);
      expect(await store.statusOf(id)).toBeUndefined();
    },
  },
  {
    task: 'the store learns why an animal cannot be deleted',
    access: 'manage',
    async run({ page }, service) {
      const { pet } = await ordered(service);
      await goTo(page, `/animals/${String(pet.id)}`);
      await buttonOf(page, 'Delete').click();
      await buttonOf(page.getByRole('dialog'), 'Delete').click();
      await page.getByText('The animal has an open order.').waitFor();
      await buttonOf(page.getByRole('dialog'), 'Cancel').click();
    },
  },
  {
    task: 'the store imports a file with mistakes, and reads the report',
    access: 'manage',
    async run({ page, store }) {
      const name = fresh('Imported');
      const buffer = Buffer.from(
        `Name,Category,State\n"${name}, a",98765,\n,7,available\nx,seven,\n${name} b,98765,sold\n`,
      );
      await goTo(page, '/animals/import');
      await page.getByLabel('CSV file').setInputFiles({ name: 'animals.csv', mimeType: 'text/csv', buffer });
      await page.getByText('Line 3: Give the animal a name.').waitFor();
      await page.getByText('Line 4: A category is a whole number; “seven” is none.').waitFor();
      await buttonOf(page, 'Import 2 animals').click();
      await page.getByText('2 of 2 animals are added, 2 lines are left out.').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        buttonOf(page, 'Download the report').click(),
      ]);
      expect(download.suggestedFilename()).toBe('import-report.csv');
      const added = (await store.list('categoryId=98765&limit=100')).body as unknown as PetShape[];
      const names = added.filter((pet) => pet.name.startsWith(name)).map((pet) => [pet.name, pet.status]);
      expect(names).toEqual([
        [`${name}, a`, 'available'],
        [`${name} b`, 'sold'],
      ]);
    },
  },
  {
    task: 'an administrator finds a key by a pasted secret, of which only the beginning leaves the field',
    access: 'admin',
    async run({ page, isPhone }, service) {
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
      await page.getByLabel('Name, reference or key').fill(secret);
      await until(() => page.url().includes(secret.slice(0, 12)));
      expect(page.url()).not.toContain(secret.slice(0, 13));
      await page.getByText(name).first().waitFor();
    },
  },
  {
    task: 'an administrator issues a key, whose secret is shown once',
    access: 'admin',
    async run({ page }, service) {
      const name = fresh(MARKUP);
      await goTo(page, '/keys/create');
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Reference').fill('crm-7');
      await buttonOf(page, 'In 365 days').click();
      await buttonOf(page, 'Issue').click();
      const secret = await page.getByLabel('Secret', { exact: true }).innerText();
      await page.keyboard.press('Escape');
      await buttonOf(page, 'I have stored it').click();
      await page.getByRole('heading', { name }).first().waitFor();
      const { body } = await service.call({ path: '/v1/rate-limit', key: secret });
      expect(body).toMatchObject({ plan: 'free', key: { name, access: 'order' } });
      expect(await page.content()).not.toContain(secret);
    },
  },
  {
    task: 'an administrator gives a partner limits of its own',
    access: 'admin',
    async run(desk, service) {
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
    },
  },
  {
    task: "an administrator gives a partner's key a new secret",
    access: 'admin',
    async run({ page }, service) {
      const { id, name } = await partner(service);
      await goTo(page, key(id));
      await buttonOf(page, 'Rotate').click();
      await buttonOf(page.getByRole('dialog'), 'Rotate').click();
      expect(await page.getByLabel('Secret', { exact: true }).innerText()).toMatch(SECRET);
      await buttonOf(page, 'I have stored it').click();
      await said(page, `${name} has a new secret.`);
    },
  },
  {
    task: 'an administrator revokes a key by typing its name',
    access: 'admin',
    async run({ page }, service) {
      const { id, name, key: secret } = await partner(service);
      await goTo(page, key(id));
      await buttonOf(page, 'Revoke').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type the name to confirm').fill('Partner');
      await page.keyboard.press('Enter');
      await dialog.getByText('That is not the name.').waitFor();
      await dialog.getByLabel('Type the name to confirm').fill(name);
      await page.keyboard.press('Enter');
      await said(page, 'is revoked.');
      await until(async () => (await service.call({ path: '/v1/pets', key: secret })).status === 401);
    },
  },
  {
    task: 'an administrator lifts a ban',
    access: 'admin',
    async run({ page }, service) {
      const { id, key: secret } = await service.issue({ name: fresh('Banned'), perMinute: 2, perDay: 1_000 });
      while (!(await service.call({ path: '/v1/pets', key: secret })).text.includes('api_key_banned'));
      await goTo(page, key(id));
      await until(async () => {
        // The ban is written to the row after the response.
        if ((await buttonOf(page, 'Lift the ban').count()) > 0) return true;
        await buttonOf(page, 'Refresh').click();
        return false;
      });
      await buttonOf(page, 'Lift the ban').click();
      await said(page, 'is lifted.');
    },
  },
  {
    task: 'an administrator reads in sentences what was done to a key',
    access: 'admin',
    async run({ page, store }, service) {
      const { id } = await service.issue({ name: fresh('Past'), plan: 'free', access: 'order' });
      await store.send({ method: 'PATCH', path: `/v1/keys/${id}`, body: { plan: 'pro' } });
      await goTo(page, key(id));
      await page.getByText('An operator, with a command, issued the key.').waitFor();
      await page.getByText('changed the plan from “free” to “pro”').waitFor();
    },
  },
];
