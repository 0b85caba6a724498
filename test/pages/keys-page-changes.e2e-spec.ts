import { expect, it } from '@jest/globals';
import { describePage } from '../support/tools/browser.js';
import { buttonOf, dialogOf, openKey, rowOf, takeSecret } from '../support/tools/keys-page.js';
import { takePicture } from '../support/tools/pictures.js';
import { until } from '../support/until.js';

const MARKUP = '<img src=x onerror=alert(1)> & Sons';

describePage('changes of a key on the page /keys', (pages) => {
  const { service, problems } = pages;
  const status = async (key: string) => (await service.call({ path: '/v1/pets', key })).status;

  it('edits a key, and not one that somebody else has changed meanwhile', async () => {
    const { id, key } = await service.issue({ name: 'Edited', plan: 'free', access: 'order' });
    const { page, admin } = await openKey(pages, 'Edited');
    const sent: [string | undefined, unknown][] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push([request.headers()['if-match'], request.postDataJSON()]);
    });
    const fields = dialogOf(page, 'key');
    await buttonOf(page, 'Edit').click();
    await fields.locator('[name=plan]').selectOption('enterprise');
    await fields.locator('[name=perMinute]').fill('7');
    await fields.locator('[name=perDay]').fill('70');
    await fields.locator('[name=expiresAt]').fill('2099-12-31T23:59');
    await buttonOf(fields, 'Save').click();
    await page.locator('#facts').getByText('enterprise: 7 a minute, 70 a day').waitFor();
    await page.locator('#facts').getByText('2099-12-31 23:59 UTC').waitFor();
    const changes = { plan: 'enterprise', perMinute: 7, perDay: 70, expiresAt: '2099-12-31T23:59:00.000Z' };
    expect(sent).toEqual([[expect.stringMatching(/^"/), changes]]);
    expect((await service.call({ path: '/v1/rate-limit', key })).body).toMatchObject({
      key: { name: 'Edited', access: 'order', expiresAt: changes.expiresAt },
    });

    const before = problems.length;
    await buttonOf(page, 'Edit').click();
    await fields.locator('[name=name]').fill('Edited too late');
    const body = JSON.stringify({ name: 'Edited by another' });
    await service.call({ method: 'PATCH', path: `/v1/keys/${id}`, key: admin, body });
    await buttonOf(fields, 'Save').click();
    await fields.getByText('Somebody else has changed this key.').waitFor();
    await buttonOf(fields, 'Cancel').click();
    await page.locator('#one-name').filter({ hasText: 'Edited by another' }).waitFor();
    // The browser itself reports the 412.
    problems.splice(before);
    await page.close();
  });

  it('rotates a key, its own too, and goes on with the new secret', async () => {
    const key = await service.issueKey({ name: 'Rotated' });
    const { page, admin } = await openKey(pages, 'Rotated');
    const rotate = async (overlap: string) => {
      await buttonOf(page, 'Rotate').click();
      await dialogOf(page, 'rotate').locator('select').selectOption(overlap);
      await buttonOf(dialogOf(page, 'rotate'), 'Rotate').click();
      await dialogOf(page, 'secret').waitFor();
      return takeSecret(page);
    };
    const [second, third] = [await rotate('86400'), await rotate('0')];
    await until(async () => (await status(second)) === 401);
    expect([await status(key), await status(third)]).toEqual([401, 200]);
    await page.locator('#events').getByText('rotated').nth(1).waitFor();

    await buttonOf(page, '← All keys').click();
    await page.locator('#filters [name=name]').fill('Head office');
    await page.locator('#filters [name=access]').selectOption('admin');
    await buttonOf(page, 'Filter').click();
    await rowOf(page, admin.slice(0, 12)).getByRole('button').click();
    expect(await buttonOf(page, 'Edit').isVisible()).toBe(false);
    const own = await rotate('0');
    await until(async () => (await status(admin)) === 401);
    await buttonOf(page, '← All keys').click();
    await rowOf(page, own.slice(0, 12)).waitFor();
    await page.close();
  });

  it('revokes a key after its name was typed, and says how many orders stay', async () => {
    const name = `Revoked ${MARKUP}`;
    const key = await service.issueKey({ name, access: 'order' });
    const { page, admin } = await openKey(pages, name);
    const pet = { method: 'POST', path: '/v1/pets', key: admin, body: '{"name":"Rex","categoryId":1}' };
    const { id } = (await service.call(pet)).body as { id: bigint };
    await service.call({ method: 'POST', path: '/v1/store/orders', key, body: `{"petId":${id}}` });
    await buttonOf(page, 'Revoke').click();
    const fields = dialogOf(page, 'revoke');
    await fields.getByText('Its open orders (1) stay').waitFor();
    await takePicture(page, 'keys-revoke', false);
    await fields.locator('input').fill('Revoked');
    await page.keyboard.press('Enter');
    await fields.getByText('That is not the name of the key.').waitFor();
    expect(await status(key)).toBe(200);
    await fields.locator('input').fill(name);
    await page.keyboard.press('Enter');
    await page.getByText('A revoked key never comes back.').waitFor();
    await until(async () => (await status(key)) === 401);
    for (const gone of ['Edit', 'Rotate', 'Revoke'])
      expect(await buttonOf(page, gone).isVisible()).toBe(false);
    await page.close();
  });

  it('lifts a ban, and shows history and usage', async () => {
    const key = await service.issueKey({ name: 'Banned', perMinute: 2, perDay: 1_000 });
    while (!(await service.call({ path: '/v1/pets', key })).text.includes('api_key_banned'));
    const { page } = await openKey(pages, 'Banned');
    await until(async () => {
      // The ban is written to the row after the response.
      if (await buttonOf(page, 'Lift the ban').isVisible()) return true;
      await buttonOf(page, '← All keys').click();
      await rowOf(page, 'Banned').getByRole('button').click();
      return false;
    });
    await page
      .locator('#totals')
      .filter({ hasText: /^Requests admitted: \d+; refused: \d+\.$/ })
      .waitFor();
    expect(await page.locator('#days canvas').getAttribute('aria-label')).toMatch(/^Requests by UTC day/);
    await takePicture(page, 'keys-one');
    await buttonOf(page, 'Lift the ban').click();
    await page.locator('#one-state').filter({ hasText: 'active' }).waitFor();
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('one-title');
    const events = await page.locator('#events > li').allInnerTexts();
    expect(events.map((text) => text.split(' by ')[0])).toEqual(['created', 'banned', 'unbanned']);
    expect(events.at(-1)).toContain('by key ');
    await page.close();
  });
});
