import { expect } from '@jest/globals';
import type { RunningService } from '../../support/service.js';
import type { PetShape } from '../../support/store.js';
import { buttonOf, goTo, said, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';
import { fresh, ordered } from './task.js';

export async function addWithKeyboard({ page, store }: Desk) {
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
}

export async function addSeveral({ page }: Desk) {
  await goTo(page, '/animals/create');
  for (const name of [fresh('Felix'), fresh('Leo')]) {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Category').fill('7');
    await buttonOf(page, 'Add, and another').click();
    await said(page, `${name} is added`);
    await until(async () => (await page.getByLabel('Name').inputValue()) === '');
  }
}

export async function beTold({ page }: Desk) {
  await goTo(page, '/animals');
  await goTo(page, '/animals/create');
  await page.getByLabel('Category').fill('seven');
  await buttonOf(page, 'Add').click();
  await page.getByText('Give the animal a name.').waitFor();
  await page.getByText('A category is a whole number; “seven” is none.').waitFor();
}

export async function rename({ page, store }: Desk) {
  const { id } = await store.create(fresh('Rex'), 7);
  const name = fresh('Rex II');
  await goTo(page, `/animals/${String(id)}`);
  await page.getByLabel('Name').fill(name);
  await buttonOf(page, 'Save').click();
  await said(page, `${name} is saved.`);
  expect((await store.list(`ids=${String(id)}`)).text).toContain(name);
}

export async function remove({ page, store }: Desk) {
  const { id, name } = await store.create(fresh('Gone'), 7);
  await goTo(page, `/animals/${String(id)}`);
  await buttonOf(page, 'Delete').click();
  await buttonOf(page.getByRole('dialog'), 'Delete').click();
  await said(page, `${name} is deleted.`);
  expect(await store.statusOf(id)).toBeUndefined();
}

export async function removeOrdered({ page }: Desk, service: RunningService) {
  const { pet } = await ordered(service);
  await goTo(page, `/animals/${String(pet.id)}`);
  await buttonOf(page, 'Delete').click();
  await buttonOf(page.getByRole('dialog'), 'Delete').click();
  await page.getByText('The animal has an open order.').waitFor();
  await buttonOf(page.getByRole('dialog'), 'Cancel').click();
}

export async function importFile({ page, store }: Desk) {
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
}
