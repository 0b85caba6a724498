import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, launchBrowser } from '../support/tools/browser.js';
import { call } from '../support/http/client.js';
import { embedded } from '../support/databases.js';
import { document } from '../support/http/document.js';
import { takePicture } from '../support/tools/pictures.js';
import { sharedService } from '../support/service.js';

// Reported as skipped where there is no browser.
const inBrowser = hasBrowser ? describe : describe.skip;

describe('the documentation', () => {
  const service = sharedService(embedded);

  it('is served as JSON and YAML, without a key', async () => {
    const json = await call(service.url, { path: '/openapi.json' });
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
    const served = JSON.parse(json.text);
    expect(served.openapi).toBe('3.1.0');
    expect(served.info.version).toBe('1.0.0');
    expect(served.servers).toEqual([{ url: '/v1', description: 'This server' }]);
    const yaml = await call(service.url, { path: '/openapi.yaml' });
    expect(yaml.headers['content-type']).toContain('yaml');
    expect(yaml.text).toContain('operationId: listPets');
    for (const { text } of [json, yaml]) expect(text).toMatch(/minimum"?: ?-9223372036854775808\b/);
  });

  inBrowser('in a browser', () => {
    let browser: Browser;
    let page: Page;
    const problems: string[] = [];
    const foreign: string[] = [];

    beforeAll(async () => {
      browser = await launchBrowser();
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.on('console', (message) => {
        problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(service.url) && !request.url().startsWith('data:'))
          foreign.push(request.url());
      });
    });
    afterAll(() => browser.close());

    it('accepts a key for this tab only, and shows the response of listPets', async () => {
      const key = await service.issueKey();
      await call(service.url, {
        method: 'POST',
        path: '/v1/pets',
        key,
        body: { name: 'Rex', categoryId: 7 },
      });

      await page.goto(`${service.url}/docs`);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.auth-container input').fill(key);
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Apply credentials' }).click();
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Close' }).click();
      await page.reload();
      expect(await page.evaluate('localStorage.length')).toBe(0);
      expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([key]);

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
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      // The name and the description of a parameter do not overlap.
      const row = page.locator('#operations-Pets-listPets .parameters tr[data-param-name="limit"]');
      const name = (await row.locator('.parameters-col_name').boundingBox())!;
      const description = (await row.locator('.parameters-col_description').boundingBox())!;
      expect(name.y + name.height).toBeLessThanOrEqual(description.y);
      await takePicture(page, 'docs-phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.evaluate('scrollTo(0, 0)');
      await takePicture(page, 'docs', false);
    });

    it('shows the stability marks and the deprecation', async () => {
      const marks: Record<string, number> = {};
      for (const item of Object.values(document.paths)) {
        for (const { 'x-stability': mark } of Object.values(item)) marks[mark] = (marks[mark] ?? 0) + 1;
      }
      expect(Object.keys(marks).sort()).toEqual(['beta', 'experimental', 'stable']);
      for (const [mark, count] of Object.entries(marks)) {
        const badges = page.locator(`.stability-${mark}`);
        expect(await badges.count()).toBe(count);
        expect((await badges.first().innerText()).toLowerCase()).toContain(mark);
      }
      const getPet = page.locator('#operations-Pets-getPet');
      expect(await getPet.getAttribute('class')).toContain('opblock-deprecated');
      expect(await getPet.innerText()).toContain('until 2030-12-05');
    });

    it('removes the key from the tab when the caller logs out', async () => {
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Remove authorization' }).click();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Close' }).click();
    });

    it('links an error to its section', async () => {
      const operation = page.locator('#operations-Pets-getPet');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('details.errors summary').click();
      const link = operation.getByRole('link', { name: 'pet_not_found' });
      await link.waitFor();
      expect(await link.getAttribute('href')).toBe('/docs/errors#pet_not_found');
      const errors = await browser.newPage();
      await errors.goto(`${service.url}/docs/errors#pet_not_found`);
      expect(await errors.locator(':target').innerText()).toBe('pet_not_found');
      await errors.close();
    });

    it('causes no console message and no request to other hosts', () => {
      expect(problems).toEqual([]);
      expect(foreign).toEqual([]);
    });
  });
});
