import { expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/platform/common/time.js';
import { describePage, PHONE, widthOf } from '../support/tools/browser.js';
import {
  buttonOf,
  dialogOf,
  keptBy,
  openKey,
  openList,
  rowOf,
  takeSecret,
} from '../support/tools/keys-page.js';
import { takePicture } from '../support/tools/pictures.js';
import { until } from '../support/until.js';

const MARKUP = '<img src=x onerror=alert(1)> & Sons';

describePage('the page /keys', (pages) => {
  const { service, open, problems } = pages;
  const status = async (key: string) => (await service.call({ path: '/v1/pets', key })).status;

  it('issues a key with the keyboard alone, shows its secret once, and keeps nothing', async () => {
    const admin = await service.issueKey({ access: 'admin' });
    const page = await open('/keys', undefined, { permissions: ['clipboard-read', 'clipboard-write'] });
    await takePicture(page, 'keys-sign-in');
    for (let tab = 0; tab < 8; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.type(admin);
    await page.keyboard.press('Enter');
    await page.locator('#rows tr').first().waitFor();
    expect(await keptBy(page)).not.toContain(admin);
    while (!(await page.evaluate<boolean>(`document.activeElement.id === 'issue'`)))
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type(MARKUP);
    await page.keyboard.press('Tab');
    await page.keyboard.type('crm-7');
    await takePicture(page, 'keys-issue', false);
    await page.keyboard.press('Enter');
    await dialogOf(page, 'secret').waitFor();
    await takePicture(page, 'keys-secret', false);
    await page.keyboard.press('Escape');
    await buttonOf(dialogOf(page, 'secret'), 'Copy').click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const secret = await takeSecret(page);
    expect(copied).toBe(secret);
    expect(await status(secret)).toBe(200);
    const limits = (await service.call({ path: '/v1/rate-limit', key: secret })).body;
    expect(limits).toMatchObject({ plan: 'free', key: { name: MARKUP, access: 'order', expiresAt: null } });

    await page.locator('#filters [name=reference]').fill('crm-7');
    await buttonOf(page, 'Filter').click();
    expect(await rowOf(page, 'crm-7').innerText()).toContain(MARKUP);
    expect(await page.locator('img').count()).toBe(0);
    for (const kept of [secret, admin]) expect(await keptBy(page)).not.toContain(kept);
    await page.reload();
    expect(await page.locator('#sign-in').isVisible()).toBe(true);
    for (const kept of [secret, admin]) expect(await keptBy(page)).not.toContain(kept);
    await page.close();
  });

  it('lists keys by filters and pages', async () => {
    const soon = { name: 'Partner soon', plan: 'business', expiresInMs: 9.5 * DAY_MS } as const;
    const revoked = { name: 'Partner gone', plan: 'pro', revoked: true } as const;
    for (const options of [soon, revoked]) await service.issueKey({ ...options, access: 'read' });
    for (let n = 0; n < 30; n += 1)
      await service.issueKey({ name: `Partner ${n}`, plan: n % 3 ? 'free' : 'pro', access: 'order' });
    const { page } = await openList(pages, 'Partner');
    await rowOf(page, 'Partner 22').waitFor();
    expect(await rowOf(page, 'Partner soon').innerText()).toContain('in 9 days');
    await takePicture(page, 'keys-list', false);
    expect(await page.locator('#rows tr').count()).toBe(25);
    await buttonOf(page, 'Next').click();
    await rowOf(page, 'Partner 29').waitFor();
    expect(await page.locator('#rows tr').count()).toBe(7);
    expect(await buttonOf(page, 'Next').isDisabled()).toBe(true);
    await buttonOf(page, 'Previous').click();
    await rowOf(page, 'Partner 22').waitFor();
    for (const [field, value, name] of [
      ['plan', 'business', 'Partner soon'],
      ['state', 'revoked', 'Partner gone'],
    ]) {
      await page.locator(`#filters [name=${field!}]`).selectOption(value!);
      await buttonOf(page, 'Filter').click();
      await until(async () => (await page.locator('#rows tr').count()) === 1);
      await rowOf(page, name!).waitFor();
      await page.locator(`#filters [name=${field!}]`).selectOption('');
    }
    await page.locator('#filters [name=access]').selectOption('read');
    await buttonOf(page, 'Filter').click();
    await until(async () => (await page.locator('#rows tr').count()) === 2);
    await page.locator('#filters [name=name]').fill('Nobody');
    await buttonOf(page, 'Filter').click();
    await page.getByText('No key matches these filters.').waitFor();
    await buttonOf(page, 'Clear').click();
    await until(async () => (await page.locator('#rows tr').count()) === 25);
    await page.close();
  });

  it.each([
    ['of a partner', { access: 'order' } as const, 'access'],
    ['that is revoked', { access: 'admin', revoked: true } as const, 'API key'],
  ])('opens with no key %s, and says why', async (_what, options, message) => {
    const key = await service.issueKey(options);
    const page = await open('/keys');
    const before = problems.length;
    await page.locator('#admin-key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('#problem').filter({ hasText: message }).waitFor();
    expect(await page.locator('#all').isVisible()).toBe(false);
    expect(await keptBy(page)).not.toContain(key);
    problems.splice(before);
    await page.close();
  });

  it('forgets the key on request, with all that it showed', async () => {
    await service.issueKey({ name: 'Forgotten' });
    const { page, admin } = await openKey(pages, 'Forgotten');
    await buttonOf(page, 'Forget the key').click();
    await page.getByText('The key is forgotten.').waitFor();
    const kept = await keptBy(page);
    for (const gone of [admin, 'Forgotten', 'Head office']) expect(kept).not.toContain(gone);
    await page.close();
  });

  it('fits a phone', async () => {
    const name = `Narrow ${'wide'.repeat(20)}`;
    await service.issueKey({ name, expiresInMs: DAY_MS });
    const { page } = await openList(pages, 'Narrow', PHONE, { colorScheme: 'dark', hasTouch: true });
    const expectNarrow = async (picture: string) => {
      await takePicture(page, `keys-${picture}-phone`);
      expect([picture, await widthOf(page)]).toEqual([picture, PHONE]);
    };
    await rowOf(page, name).waitFor();
    await expectNarrow('list');
    await rowOf(page, name).getByRole('button').click();
    await page.locator('#one-name').filter({ hasText: name }).waitFor();
    await expectNarrow('one');
    for (const [action, opened] of [
      ['Edit', 'key'],
      ['Rotate', 'rotate'],
      ['Revoke', 'revoke'],
    ] as const) {
      await buttonOf(page, action).click();
      await dialogOf(page, opened).waitFor();
      await expectNarrow(opened);
      await buttonOf(dialogOf(page, opened), 'Cancel').click();
    }
    await page.close();
  });
});
