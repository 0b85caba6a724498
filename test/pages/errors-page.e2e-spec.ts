import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ERRORS } from '../../src/common/errors/errors.js';
import { embedded } from '../support/databases.js';
import { sharedService } from '../support/service.js';
import { hasBrowser, launchBrowser } from '../support/tools/browser.js';
import { takePicture } from '../support/tools/pictures.js';

// Reported as skipped where there is no browser.
const inBrowser = hasBrowser ? describe : describe.skip;
const PAGES = ['/docs', '/docs/errors', '/usage'];
const STYLE = 'getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).fontFamily';

inBrowser('the page /docs/errors', () => {
  const service = sharedService(embedded);
  let browser: Browser;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on('console', (message) => problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${service.url}${path}`, { waitUntil: 'networkidle' });
    return page;
  }

  it.each([
    ['wide', 1280, 'light'],
    ['phone-dark', 390, 'dark'],
  ] as const)(
    'has a section for every code, in the style of /usage: %s',
    async (name, width, colorScheme) => {
      const options = { viewport: { width, height: 900 }, colorScheme };
      const page = await open('/docs/errors', options);
      expect(
        await page.evaluate<string[]>("Array.from(document.querySelectorAll('h2[id]'), ({ id }) => id)"),
      ).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await takePicture(page, `errors-${name}`, false);
      const usage = await open('/usage', options);
      expect(await page.evaluate(STYLE)).toBe(await usage.evaluate(STYLE));
      await page.close();
      await usage.close();
    },
  );

  it.each(PAGES)('is linked with the other pages from %s', async (path) => {
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    expect(
      await page.evaluate<string[]>(
        "Array.from(document.querySelectorAll('nav a'), (a) => a.getAttribute('href'))",
      ),
    ).toEqual(PAGES);
    expect(await page.locator('nav [aria-current="page"]').getAttribute('href')).toBe(path);
    for (const target of PAGES)
      expect((await page.request.get(`${service.url}${target}`)).status()).toBe(200);
    await takePicture(page, `phone${path.replaceAll('/', '-')}`, false);
    await page.close();
  });

  it('causes no error or message in the console', () => {
    expect(problems).toEqual([]);
  });
});
