import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { ERRORS } from '../../src/platform/common/errors/errors.js';
import { OPERATIONS } from '../support/http/document.js';
import { storeOf } from '../support/store.js';
import { describePage, PHONE, WIDE, widthOf, takePicture } from '../support/tools/browser.js';

/** Swagger UI itself would show 9007199254740992. */
const EXACT = 9_007_199_254_740_993n;

describePage('the documentation', ({ service, open }) => {
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
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: PHONE, height: 844 });
    expect(await widthOf(page)).toBeLessThanOrEqual(PHONE);
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
    expect(await page.locator('.stability-access').count()).toBe(OPERATIONS.length);
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

  it('has a section for every code, an index that stays, and a filter', async () => {
    const errors = await open('/docs/errors', PHONE);
    const ids = await errors.evaluate("Array.from(document.querySelectorAll('article'), ({ id }) => id)");
    expect(ids).toEqual(Object.keys(ERRORS));
    const filter = errors.getByRole('searchbox', { name: 'Filter' });
    await errors.evaluate('scrollTo(0, 3000)');
    expect((await filter.boundingBox())!.y).toBeLessThan(60);
    await filter.fill('404 Order');
    const shown = () => errors.locator('article').filter({ visible: true }).locator('h2 a').allInnerTexts();
    expect(await shown()).toEqual(['order_not_found']);
    expect(await errors.getByRole('status').innerText()).toContain(
      `1 of ${String(Object.keys(ERRORS).length)}`,
    );
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
});
