import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Pages } from './browser.js';

const SECRET = /^ask_[0-9A-Za-z]{49}$/;

/** All that a page could have kept: its elements and fields, and every storage of the browser. */
const KEPT = `(async () => JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll('input')].map(({ value }) => value),
  [{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href],
  [await indexedDB.databases(), await caches.keys()],
]))()`;

export const keptBy = (page: Page) => page.evaluate<string>(KEPT);

export const dialogOf = (page: Page, id: string) => page.locator(`#${id}-dialog[open]`);
export const buttonOf = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true });
export const rowOf = (page: Page, name: string) => page.locator('#rows tr').filter({ hasText: name });

/** Opens /keys with an admin key, and only keys whose names begin with `name` in the list. */
export async function openList(
  { service, open }: Pages,
  name: string,
  ...options: Parameters<Pages['open']> extends [string, ...infer Rest] ? Rest : never
) {
  const admin = await service.issueKey({ name: 'Head office', access: 'admin' });
  const page = await open('/keys', ...options);
  await page.locator('#admin-key').fill(admin);
  await buttonOf(page, 'Open').click();
  await page.locator('#filters [name=name]').fill(name);
  await buttonOf(page, 'Filter').click();
  await rowOf(page, name).first().waitFor();
  return { page, admin };
}

/** Opens the key of this name. */
export async function openKey(pages: Pages, name: string) {
  const opened = await openList(pages, name);
  await rowOf(opened.page, name).getByRole('button').click();
  await opened.page.locator('#one-name').filter({ hasText: name }).waitFor();
  return opened;
}

/** The secret that the page shows. */
export async function takeSecret(page: Page): Promise<string> {
  const secret = await dialogOf(page, 'secret').locator('output').innerText();
  expect(secret).toMatch(SECRET);
  await buttonOf(dialogOf(page, 'secret'), 'Done').click();
  return secret;
}
