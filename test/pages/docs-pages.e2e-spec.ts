import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ERROR_CODES, OPERATIONS } from '../support/http/document.js';
import { storeOf } from '../support/store.js';
import { describePage, PHONE, WIDE, widthOf } from '../support/tools/browser.js';
import { faintTexts } from '../support/tools/contrast.js';
import { takePicture } from '../support/tools/pictures.js';
import { until } from '../support/until.js';

const BODY = '#operations-Pets-listPets .live-responses-table .highlight-code';
const STYLE_OF_LINES = `getComputedStyle(document.querySelector('${BODY} code')).whiteSpace + ' ' +
  getComputedStyle(document.querySelector('${BODY} pre')).overflowX`;
const PAGES = '/docs/start /docs /docs/errors /docs/faq /docs/versioning /docs/changelog'.split(' ');
/** Of the console. */
const VIEWS = ['my-key', 'webhooks', 'orders', 'animals'].map((name) => `/console#/${name}`);
/** Swagger UI itself would show 9007199254740992. */
const EXACT = 9_007_199_254_740_993n;
const STYLE = 'getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).fontFamily';

/** The families of all text but code. */
const TYPEFACES = `[...new Set(Array.from(document.querySelectorAll('body *'))
  .filter((element) => element.checkVisibility() && !element.closest('pre, code, textarea, svg, .opblock-summary-path, .opblock-summary-path__deprecated'))
  .filter(({ childNodes }) => Array.from(childNodes).some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ''))
  .map((element) => getComputedStyle(element).fontFamily))]`;
const TYPEFACE = 'system-ui, sans-serif';
const LANGUAGES =
  "Array.from(document.querySelectorAll('pre > code')).filter((code) => code.checkVisibility()).map(({ className }) => className)";

describePage('the documentation', ({ service, open, problems }) => {
  const store = storeOf(service);
  let page: Page;

  beforeAll(async () => {
    await store.create('Rex', EXACT);
    page = await open('/docs');
  });

  const authorization = (button: string) =>
    page.locator('.auth-btn-wrapper').getByRole('button', { name: button }).click();
  const openAuthorization = () => page.getByRole('button', { name: 'Authorize' }).first().click();

  it('accepts a key for this tab only, and shows the response of listPets', async () => {
    await openAuthorization();
    await page.locator('.auth-container input').fill(store.key);
    await authorization('Apply credentials');
    await authorization('Close');
    await page.reload();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([store.key]);

    const operation = page.locator('#operations-Pets-listPets');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-inner').waitFor();
    expect((await operation.boundingBox())!.height).toBeLessThan(2_700);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').innerText()).toContain('200');
    const body = answer.locator('.highlight-code').first();
    expect(await body.innerText()).toMatch(/"id": \d+,\s+"name": "/);
    expect(await body.innerText()).toContain(`"categoryId": ${String(EXACT)}`);
    await takePicture(page, 'docs-list-pets');
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: PHONE, height: 844 });
    expect(await widthOf(page)).toBeLessThanOrEqual(PHONE);
    // The name and the description of a parameter do not overlap.
    const row = page.locator('#operations-Pets-listPets .parameters tr[data-param-name="limit"]');
    const name = (await row.locator('.parameters-col_name').boundingBox())!;
    const description = (await row.locator('.parameters-col_description').boundingBox())!;
    expect(name.y + name.height).toBeLessThanOrEqual(description.y);
    // Nothing of a response breaks inside of a word or is covered by a button.
    const answer = page.locator(BODY).first();
    expect(await page.evaluate(STYLE_OF_LINES)).toBe('pre auto');
    const code = (await answer.locator('pre').boundingBox())!;
    for (const button of ['.copy-to-clipboard', '.download-contents'])
      expect((await answer.locator(button).boundingBox())!.y).toBeGreaterThanOrEqual(code.y + code.height);
    for (const summary of await page.locator('.opblock-summary-description').all())
      expect((await summary.boundingBox())!.height).toBeGreaterThan(10);
    await takePicture(page, 'docs-phone');
    await page.setViewportSize({ width: WIDE, height: 900 });
    await page.evaluate('scrollTo(0, 0)');
    await takePicture(page, 'docs', false);
  });

  it.each([WIDE, PHONE])('shows a linked operation below the filter, %i px', async (width) => {
    const linked = await open('/docs#/Store/getInventory', width);
    const topOf = async (selector: string) => (await linked.locator(selector).boundingBox())!.y;
    await linked.locator('.opblock.is-open').waitFor();
    await until(async () => (await topOf('.filter')) === 0);
    const { height } = (await linked.locator('.filter').boundingBox())!;
    expect(await topOf('.opblock.is-open')).toBeGreaterThanOrEqual(height);
    await linked.close();
  });

  it('folds the errors of HTTP itself under one line', async () => {
    const errors = page.locator('#operations-Pets-listPets details.errors');
    await errors.locator('> summary').click();
    const codes = errors.locator('> table code');
    await codes.first().waitFor();
    expect(await codes.allInnerTexts()).toContain('invalid_cursor');
    expect(await codes.allInnerTexts()).not.toContain('request_timeout');
    const transport = errors.locator('details');
    expect(await transport.innerText()).toBe('3 errors of HTTP itself, such as 408 and 431');
    await transport.locator('summary').click();
    await transport.locator('code').first().waitFor();
    expect(await transport.locator('code').allInnerTexts()).toContain('headers_too_large');
  });

  it('shows the stability marks and the deprecation', async () => {
    for (const mark of ['beta', 'experimental', 'stable']) {
      const badges = page.locator(`.mark-${mark}`);
      expect(await badges.count()).toBe(OPERATIONS.filter((each) => each['x-stability'] === mark).length);
      expect((await badges.first().innerText()).toLowerCase()).toContain(mark);
    }
    expect(await page.locator('.mark-access').count()).toBe(OPERATIONS.length);
    const getPet = page.locator('#operations-Pets-getPet');
    expect(await getPet.getAttribute('class')).toContain('opblock-deprecated');
    expect(await getPet.innerText()).toContain('until 2030-12-05');
  });

  it('removes the key from the tab when the caller logs out', async () => {
    await openAuthorization();
    await authorization('Remove authorization');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await authorization('Close');
  });

  it('links an error to its section', async () => {
    const operation = page.locator('#operations-Pets-getPet');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('details.errors > summary').click();
    const link = operation.getByRole('link', { name: 'pet_not_found' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('docs/errors#pet_not_found');
    const errors = await open('/docs/errors#pet_not_found');
    expect(await errors.locator(':target h2 a').innerText()).toBe('pet_not_found');
    await errors.close();
  });

  it.each([
    ['wide', WIDE, 'light'],
    ['phone-dark', PHONE, 'dark'],
  ] as const)('has a section for every code, in the style of /docs: %s', async (name, width, colorScheme) => {
    const errors = await open('/docs/errors', width, { colorScheme });
    const ids = await errors.evaluate("Array.from(document.querySelectorAll('article'), ({ id }) => id)");
    expect(ids).toEqual(ERROR_CODES);
    expect(await widthOf(errors)).toBeLessThanOrEqual(width);
    await takePicture(errors, `errors-${name}`, false);
    const style = await errors.evaluate<string>(STYLE);
    expect(style.startsWith('rgb(255')).toBe(colorScheme === 'light');
    await errors.goto(`${service.url}/docs`);
    expect(await errors.evaluate(STYLE)).toBe(style);
    // Swagger UI follows the system, also when it changes.
    const block = "getComputedStyle(document.querySelector('.swagger-ui')).backgroundColor";
    await errors.locator('.opblock').first().waitFor();
    expect(style).toContain(await errors.evaluate<string>(block));
    await errors.emulateMedia({ colorScheme: colorScheme === 'light' ? 'dark' : 'light' });
    expect(style).not.toContain(await errors.evaluate<string>(block));
    await errors.close();
  });

  it('has an index of errors that stays, and a filter', async () => {
    const errors = await open('/docs/errors', PHONE);
    const filter = errors.getByRole('searchbox', { name: 'Filter' });
    await errors.evaluate('scrollTo(0, 3000)');
    expect((await filter.boundingBox())!.y).toBeLessThan(60);
    await filter.fill('404 Order');
    const shown = () => errors.locator('article').filter({ visible: true }).locator('h2 a').allInnerTexts();
    expect(await shown()).toEqual(['order_not_found']);
    expect(await errors.getByRole('status').innerText()).toContain(`1 of ${String(ERROR_CODES.length)}`);
    // An address that names a hidden entry shows it.
    await errors.evaluate("location.hash = 'pet_not_found'");
    await errors.locator('#pet_not_found').waitFor();
    expect(await filter.inputValue()).toBe('');
    await errors.locator('#codes summary').click();
    await errors.locator('#codes a[href="#service_unavailable"]').click();
    expect((await errors.locator('#service_unavailable').boundingBox())!.y).toBeLessThan(844);
    expect(await errors.locator('#codes a').first().isVisible()).toBe(false);
    await errors.close();
  });

  it('has pages with one navigation, which fit a phone', async () => {
    const phone = await open('/docs', PHONE);
    for (const path of PAGES) {
      await phone.goto(service.url + path);
      const links =
        "Array.from(document.querySelectorAll('header nav a'), ({ pathname, hash }) => pathname + hash)";
      expect(await phone.evaluate(links)).toEqual([...PAGES, ...VIEWS, '/console']);
      expect(await phone.locator('header nav .note').allInnerTexts()).toEqual(['Learn', 'My key', 'Store']);
      expect(await phone.evaluate("document.querySelector('.home').pathname")).toBe('/docs');
      expect(await phone.evaluate(`document.querySelector('nav [aria-current="page"]').pathname`)).toBe(path);
      expect(await widthOf(phone)).toBeLessThanOrEqual(PHONE);
      await takePicture(phone, `phone${path.replaceAll('/', '-')}`, false);
    }
    await phone.close();
  });

  it('has pages in one typeface, with a contrast of 4.5 in all texts, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const each = await open('/docs', WIDE, { colorScheme });
      for (const path of PAGES) {
        await each.goto(service.url + path);
        if (path === '/docs') await each.locator('.opblock').first().waitFor();
        expect([path, await faintTexts(each)]).toEqual([path, []]);
        expect([path, await each.evaluate<string[]>(TYPEFACES)]).toEqual([path, [TYPEFACE]]);
      }
      await each.close();
    }
  });

  it('has a list of the headings of a long page, which leads to them', async () => {
    const questions = await open('/docs/faq', PHONE);
    const contents = questions.getByRole('navigation', { name: 'Contents' });
    const headings = await questions.locator('h2').allInnerTexts();
    expect(await contents.getByRole('link').allInnerTexts()).toEqual(headings);
    await contents.getByRole('link', { name: headings.at(-1)! }).click();
    expect(await questions.locator(':target').innerText()).toBe(headings.at(-1));
    await questions.goto(`${service.url}/docs/versioning`);
    expect(await contents.count()).toBe(0);
    await questions.close();
  });

  it('says where nothing lives, in the same dress', async () => {
    for (const path of ['/docs/nothing/<i>here', '/nothing?x=1']) {
      const missing = await open('/docs/versioning', PHONE, { colorScheme: 'dark' });
      const answer = (await missing.goto(service.url + path))!;
      expect(answer.status()).toBe(404);
      expect(answer.headers()).toMatchObject({ vary: 'Accept', 'x-ratelimit-limit': expect.any(String) });
      expect(await missing.locator('h1').innerText()).toBe('There is no such page');
      expect(await faintTexts(missing)).toEqual([]);
      await missing.getByRole('link', { name: 'Questions' }).click();
      expect(await missing.locator('h1').innerText()).toBe('Questions');
      await missing.close();
    }
    expect(problems.splice(0)).toEqual(Array(2).fill(expect.stringContaining('404')));
    // A program gets the Error body, and so does a browser below /v1.
    for (const [path, accept] of [
      ['/docs/nothing', '*/*'],
      ['/v1/nothing', 'text/html'],
    ] as const) {
      const { status, body } = await service.call({ path, headers: { accept }, key: store.key });
      expect([status, body]).toEqual([404, expect.objectContaining({ code: 'route_not_found' })]);
    }
  });

  it('shows the whole body of an error, and says when a filter finds none', async () => {
    const errors = await open('/docs/errors', PHONE);
    const body = await errors.locator('#pet_not_found pre').innerText();
    expect(JSON.parse(body)).toEqual({
      code: 'pet_not_found',
      message: expect.stringContaining('There is no animal') as unknown,
      status: 404,
    });
    await errors.getByRole('searchbox').fill('no such thing');
    await errors.getByText('No code has all of these words.').waitFor();
    await errors.getByRole('button', { name: 'Show all codes' }).click();
    expect(await errors.locator('article').filter({ visible: true }).count()).toBe(ERROR_CODES.length);
    await errors.close();
  });

  it('shows the steps of the start in the language that the reader chooses, with the address of the service', async () => {
    const start = await open('/docs/start', PHONE);
    const shown = () => start.evaluate<string[]>(LANGUAGES);
    expect(new Set(await shown())).toEqual(new Set(['language-sh', 'language-go']));
    await start.getByRole('radio', { name: 'Python' }).check();
    expect(new Set(await shown())).toEqual(new Set(['language-py', 'language-go']));
    const text = await start.locator('main').innerText();
    expect(text).toContain(`${service.url}/client.tgz`);
    expect(text).not.toContain('127.0.0.1:3000');
    await start.close();
  });
});
