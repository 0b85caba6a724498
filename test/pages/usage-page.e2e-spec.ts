import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { generateApiKey } from '../../src/auth/keys/api-key-format.js';
import { DAY_MS } from '../../src/platform/common/time.js';
import { describePage, PHONE, widthOf } from '../support/tools/browser.js';
import { takePicture } from '../support/tools/pictures.js';
import { untilDayHasRoom } from '../support/until.js';

describePage('the page /usage', ({ service, open, problems }) => {
  async function show(page: Page, key: string): Promise<void> {
    // Only with the keyboard, past seven links.
    for (let tab = 0; tab < 8; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.locator('#windows .window').nth(1).waitFor();
  }

  async function paste(page: Page, key: string): Promise<void> {
    await page.locator('#key').fill(key);
    await page.getByRole('button', { name: 'Show' }).click();
  }

  it('shows and updates the remaining requests and the usage', async () => {
    const key = await service.issueKey({ plan: 'free' });
    await untilDayHasRoom();
    for (let n = 0; n < 5; n += 1) await service.call({ path: '/v1/pets', key });
    const page = await open('/usage');
    await show(page, key);
    expect(await page.locator('#plan').innerText()).toBe(
      'The free plan allows 60 requests a minute and 1,000 requests a day.',
    );
    const left = page.locator('#windows .left').nth(1);
    // Five before, and the page itself uses one request for the days.
    await expect(left.innerText()).resolves.toMatch(/^99[45] of 1,000 left$/);
    await page.getByText('Requests admitted: 6; refused: 0.').waitFor();
    await service.call({ path: '/v1/pets', key });
    await page.getByText('993 of 1,000 left').waitFor();
    expect(await page.locator('#days tr').count()).toBe(30);
    expect(await page.locator('#chart').getAttribute('aria-label')).toMatch(/^Requests by UTC day, /);
    await takePicture(page, 'usage-wide');
    await page.close();
  });

  it.each([
    [undefined, 'It does not expire.', undefined],
    [20 * DAY_MS, 'It expires on 20', undefined],
    [13.5 * DAY_MS, 'It expires on 20', 'This key ends in 13 days, on 20'],
    [DAY_MS / 2, 'It expires on 20', 'This key ends within a day, on 20'],
  ])('says whose key it is, and announces its end 14 days before: %s', async (expiresInMs, end, notice) => {
    const name = '<b>Happy</b> & Paws';
    const page = await open('/usage');
    await page.getByText('See what an API key may do').waitFor();
    await page.getByText('Showing a key costs one of its requests').waitFor();
    await show(page, await service.issueKey({ name, access: 'order', expiresInMs }));
    expect(await page.locator('#name').innerText()).toBe(name);
    expect(await page.locator('#access').innerText()).toBe(
      'Access: order. It reads the catalogue and places orders.',
    );
    expect(await page.locator('#end').innerText()).toContain(end);
    const shown = page.locator('#expiry');
    expect((await shown.isVisible()) ? await shown.innerText() : '').toContain(notice ?? '');
    expect(await shown.isVisible()).toBe(notice !== undefined);
    expect(await page.locator('#intro').isVisible()).toBe(false);
    await page.close();
  });

  it('draws a chart of a month', async () => {
    const page = await open('/usage');
    const today = Math.floor(Date.now() / 86_400_000);
    const month = Array.from({ length: 30 }, (_, index) => ({
      date: new Date((today - 29 + index) * 86_400_000).toISOString().slice(0, 10),
      admitted: 420 + Math.round(260 * Math.sin(index / 4)) + 7 * index,
      refused: index % 9 === 8 ? 90 : 0,
    }));
    await page.route('**/v1/usage?days=30', (route) => route.fulfill({ json: month }));
    await show(page, await service.issueKey({ plan: 'free' }));
    await page.getByText('; refused: 270.').waitFor();
    await takePicture(page, 'usage', false);
    await page.close();
  });

  it('shows a ban, and sends only free requests during it', async () => {
    const key = await service.issueKey({ perMinute: 2, perDay: 1_000 });
    const page = await open('/usage', PHONE, { colorScheme: 'dark', hasTouch: true });
    await show(page, key);
    while (!(await service.call({ path: '/v1/pets', key })).text.includes('api_key_banned'));
    await page.locator('#ban').filter({ hasText: 'This key is banned until' }).waitFor();
    await takePicture(page, 'usage-phone-dark');
    expect(await widthOf(page)).toBeLessThanOrEqual(PHONE);

    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    // After a reload the page has no days, and would normally request them.
    await page.reload();
    for (let times = 0; times < 2; times += 1) await page.waitForResponse('**/v1/rate-limit');
    expect(new Set(paths.filter((path) => path.startsWith('/v1/')))).toEqual(new Set(['/v1/rate-limit']));
    await page.close();
  });

  it.each([
    ['a valid key', 200],
    ['an invalid key', 401],
  ])('shows nothing when %s is forgotten before the response arrives', async (_what, status) => {
    const page = await open('/usage');
    const key = status === 200 ? await service.issueKey() : generateApiKey();
    const before = problems.length;
    const requested = Promise.withResolvers<Route>();
    await page.route('**/v1/rate-limit', (route) => requested.resolve(route));
    await paste(page, key);
    const route = await requested.promise;
    await page.evaluate("document.getElementById('forget').click()");
    const answered = page.waitForResponse('**/v1/rate-limit');
    await route.continue();
    expect((await answered).status()).toBe(status);
    await (await answered).finished();
    // The page handles the response before this timer.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    expect(await page.locator('#status').innerText()).toBe('The key is forgotten.');
    expect(await page.locator('#shown').isVisible()).toBe(false);
    problems.splice(before);
    await page.close();
  });

  it('hides the data of one key when another is pasted', async () => {
    const spent = await service.issueKey({ perMinute: 10, perDay: 1 });
    await service.call({ path: '/v1/pets', key: spent });
    const good = await service.issueKey();
    const page = await open('/usage');
    const pasted = async (key: string, until: string) => {
      await paste(page, key);
      await page.getByText(until).waitFor();
    };
    await pasted(good, 'Requests admitted: ');
    expect(await page.locator('#chart').isVisible()).toBe(true);
    await pasted(spent, 'The days can be read once a request is left.');
    expect(await page.locator('#chart').isVisible()).toBe(false);
    expect(await page.getByText('As a table').isVisible()).toBe(false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await pasted(good, 'Requests admitted: ');
    expect(await page.locator('#chart').isVisible()).toBe(true);
    await page.close();
  });

  it('keeps the key for the tab only, forgets it on request, and reports an invalid one', async () => {
    const key = await service.issueKey();
    const page = await open('/usage');
    await show(page, key);
    await page.reload();
    await page.locator('#windows .window').first().waitFor();
    expect(await page.evaluate<number>('localStorage.length')).toBe(0);
    expect(page.url()).toBe(`${service.url}/usage`);
    await page.getByRole('button', { name: 'Forget' }).click();
    expect(await page.evaluate<number>('sessionStorage.length')).toBe(0);
    expect(await page.locator('#shown').isVisible()).toBe(false);

    const before = problems.length;
    await paste(page, `ask_${'0'.repeat(49)}`);
    await page.locator('#status').filter({ hasText: 'key' }).waitFor();
    expect(await page.evaluate<number>('sessionStorage.length')).toBe(0);
    // The browser itself reports the 401.
    problems.splice(before);
    await page.close();
  });
});
