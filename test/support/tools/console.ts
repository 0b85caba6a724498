import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import type { KeyOptions } from '../keys.js';
import { Store } from '../store.js';
import { PHONE, WIDE, type Pages } from './browser.js';

const KEY_ITEM = 'animal-store.key';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The widths and themes in which people see the console. */
export const DRESSES = [
  { dress: 'wide, light', width: WIDE, colorScheme: 'light' },
  { dress: 'phone, dark', width: PHONE, colorScheme: 'dark' },
  // The two others cost as much again: the gate runs them.
  ...(process.env.TEST_ALL_DRESSES === undefined
    ? []
    : ([
        { dress: 'wide, dark', width: WIDE, colorScheme: 'dark' },
        { dress: 'phone, light', width: PHONE, colorScheme: 'light' },
      ] as const)),
] as const;
export type Dress = (typeof DRESSES)[number];

/** The console in a page, with the key that is signed in and the operations that it calls. */
export interface Desk {
  page: Page;
  store: Store;
  isPhone: boolean;
}

/** Opens the console with a new key. */
export async function openDesk(
  { service, open }: Pages,
  { width, colorScheme }: Pick<Dress, 'width' | 'colorScheme'>,
  options: KeyOptions,
): Promise<Desk> {
  const { id, key } = await service.issue(options);
  const page = await open('/robots.txt', width, {
    colorScheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.evaluate(`sessionStorage.setItem('${KEY_ITEM}', '${key}')`);
  await page.goto(`${service.url}/console`);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return { page, store: new Store(service.url, key, id), isPhone: width === PHONE };
}

/** Goes to an address of the console, such as `/orders`. */
export const goTo = (page: Page, address: string) => page.evaluate(`location.hash = '#${address}'`);

/** The address of a list with filters. */
export const filtered = (list: string, filters: Record<string, string>) =>
  `/${list}?displayedFilters={}&filter=${encodeURIComponent(JSON.stringify(filters))}&order=DESC&page=1&perPage=25&sort=id`;

export const buttonOf = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: typeof name === 'string' });

/** What the console says that it did. */
export const said = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).first().waitFor();

export const keyOfTab = (page: Page) => page.evaluate<string | null>(`sessionStorage.getItem('${KEY_ITEM}')`);

/** Every finding of axe, as rule and element. */
export async function findingsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 200))))`);
}

/** Waits until nothing is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    "document.querySelector('[role=progressbar]:not([aria-valuenow]), .MuiSkeleton-root') === null && document.querySelector('main') !== null",
  );
}
