import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ERRORS } from '../../src/platform/common/errors/errors.js';
import { OPERATIONS } from '../support/http/document.js';
import { storeOf } from '../support/store.js';
import { describePage, PHONE, WIDE, widthOf } from '../support/tools/browser.js';
import { takePicture } from '../support/tools/pictures.js';

const PAGES = ['/docs', '/docs/errors', '/usage', '/keys'];
const STYLE = 'getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).fontFamily';

describePage('the documentation', ({ service, open }) => {
  const store = storeOf(service);
  let page: Page;

  beforeAll(async () => {
    await store.create('Rex', 7);
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
    expect(await answer.locator('.highlight-code').first().innerText()).toMatch(/"id": \d+,\s+"name": "/);
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
    await takePicture(page, 'docs-phone');
    await page.setViewportSize({ width: WIDE, height: 900 });
    await page.evaluate('scrollTo(0, 0)');
    await takePicture(page, 'docs', false);
  });

  it('shows the stability marks and the deprecation', async () => {
    for (const mark of ['beta', 'experimental', 'stable']) {
      const badges = page.locator(`.stability-${mark}`);
      expect(await badges.count()).toBe(OPERATIONS.filter((each) => each['x-stability'] === mark).length);
      expect((await badges.first().innerText()).toLowerCase()).toContain(mark);
    }
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
    await operation.locator('details.errors summary').click();
    const link = operation.getByRole('link', { name: 'pet_not_found' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('docs/errors#pet_not_found');
    const errors = await open('/docs/errors#pet_not_found');
    expect(await errors.locator(':target').innerText()).toBe('pet_not_found');
    await errors.close();
  });

  it.each([
    ['wide', WIDE, 'light'],
    ['phone-dark', PHONE, 'dark'],
  ] as const)(
    'has a section for every code, in the style of /usage: %s',
    async (name, width, colorScheme) => {
      const errors = await open('/docs/errors', width, { colorScheme });
      const ids = await errors.evaluate("Array.from(document.querySelectorAll('h2[id]'), ({ id }) => id)");
      expect(ids).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
      expect(await widthOf(errors)).toBeLessThanOrEqual(width);
      await takePicture(errors, `errors-${name}`, false);
      const style = await errors.evaluate(STYLE);
      await errors.goto(`${service.url}/usage`);
      expect(await errors.evaluate(STYLE)).toBe(style);
      await errors.close();
    },
  );

  it('has pages that are linked with each other', async () => {
    const phone = await open('/usage', PHONE);
    for (const path of PAGES) {
      await phone.goto(service.url + path);
      const links = "Array.from(document.querySelectorAll('nav a'), ({ pathname }) => pathname)";
      expect(await phone.evaluate(links)).toEqual(PAGES);
      expect(await phone.evaluate(`document.querySelector('nav [aria-current="page"]').pathname`)).toBe(path);
      expect((await phone.request.get(service.url + path)).status()).toBe(200);
      await takePicture(phone, `phone${path.replaceAll('/', '-')}`, false);
    }
    await phone.close();
  });
});
