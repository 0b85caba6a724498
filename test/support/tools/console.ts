import axe from 'axe-core';
import type { ConsoleMessage, Locator, Page } from 'playwright-core';
import type { KeyOptions } from '../keys.js';
import { Store } from '../store.js';
import { until } from '../until.js';
import { describePage, PHONE, WIDE, type Pages } from './browser.js';

const KEY_ITEM = 'animal-store.key';
const NO_SUCH_VIEW = 'No such view';

/** The widths and themes in which people see the console. */
export const FORMATS: [format: 'wide' | 'phone', width: number][] = [
  ['wide', WIDE],
  ['phone', PHONE],
];
export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const themeOf = (number: number): Theme => THEMES[number % THEMES.length]!;

/** Webhooks may be sent to an endpoint on this machine, without TLS. */
const SETTINGS = { SANDBOX: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' };

/** Chromium reports each refusal of the API, and react-router that it cannot hold back an address that is set while a form is open. */
function isExpected(message: ConsoleMessage): boolean {
  const text = message.text();
  const isOfApi = new URL(message.location().url || 'about:blank').pathname.startsWith('/v1/');
  return (
    (isOfApi && text.startsWith('Failed to load resource')) ||
    text.startsWith('You are trying to use a blocker on a POP navigation') ||
    text === 'A router only supports one blocker at a time'
  );
}

/** Describes tests of the console, at whose end neither it nor its Content-Security-Policy has reported anything. */
export const describeConsole = (name: string, tests: (pages: Pages) => void) =>
  describePage(name, tests, { settings: SETTINGS, isExpected });

/** The console in a page, with the key that is signed in and the operations that it calls. */
export interface Desk {
  page: Page;
  store: Store;
  isPhone: boolean;
}

/** Opens the console with a new key. */
export async function openDesk(
  { service, open }: Pages,
  { width, colorScheme }: { width: number; colorScheme: Theme },
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

/** Sets the address in the console, such as `/orders`. */
export const setAddress = (page: Page, address: string) => page.evaluate(`location.hash = '#${address}'`);

const titleOf = (page: Page) => page.evaluate<string>("document.querySelector('h1')?.textContent ?? ''");

/**
 * Goes to an address of the console: closes what lies over the view, and goes over an address that shows nothing, so that no view
 * before it is left. Waits for the view's title.
 */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.keyboard.press('Escape');
  await setAddress(page, '/nowhere');
  await until(async () => (await titleOf(page)) === NO_SUCH_VIEW);
  await setAddress(page, address);
  await until(async () => !['', NO_SUCH_VIEW].includes(await titleOf(page)));
}

/** The address of a list with filters. */
export const filtered = (list: string, filters: Record<string, string>) =>
  `/${list}?displayedFilters={}&filter=${encodeURIComponent(JSON.stringify(filters))}&order=DESC&page=1&perPage=25&sort=id`;

export const buttonOf = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: typeof name === 'string' });

/** What the console says that it did. */
export const said = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).first().waitFor();

export const keyOfTab = (page: Page) => page.evaluate<string | null>(`sessionStorage.getItem('${KEY_ITEM}')`);

/** Every finding of axe, as rule and element; `rules`: of these alone. */
export async function findingsOf(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(`window.axe ?? (() => { ${axe.source} })()`);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) });
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 200))))`);
}

/** Nothing is being read, no hint is open, the view has its title, and no colour is on its way to another. */
const IS_SETTLED = `document.querySelector('[role=progressbar]:not([aria-valuenow]), [role=tooltip], .MuiSkeleton-root') === null
  && document.querySelector('main h1, header h1')?.textContent.trim().length > 0
  && document.getAnimations().every((each) => !(each instanceof CSSTransition))`;

/** Waits until a view stands still: also a moment later, because what a view reads begins after it is shown. */
export const settled = (page: Page) =>
  until(async () => {
    if (!(await page.evaluate<boolean>(IS_SETTLED))) return false;
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
    return page.evaluate<boolean>(IS_SETTLED);
  });
