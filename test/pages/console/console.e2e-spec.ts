import { expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/keys/secrets/api-key-format.js';
import { DAY_MS } from '../../../src/platform/common/time.js';
import { onDatabase } from '../../support/databases.js';
import { issueKeys } from '../../support/keys.js';
import { PHONE, WIDE, widthOf } from '../../support/tools/browser.js';
import {
  buttonOf,
  describeConsole,
  filtered,
  goTo,
  keyOfTab,
  openDesk,
  said,
  settled,
} from '../../support/tools/console.js';
import { takePicture } from '../../support/tools/pictures.js';
import { until } from '../../support/until.js';

const LIGHT = { width: WIDE, colorScheme: 'light' } as const;
const ROWS = 10_000;

/** All that a browser could keep for the page. */
const KEPT = `(async () => JSON.stringify([
  { ...localStorage }, Object.keys(sessionStorage), document.cookie, await indexedDB.databases(), await caches.keys(),
]))()`;

describeConsole('the console', (pages) => {
  const { service, open } = pages;

  it('is read in less than 400 KB, and reads charts and the import when they are opened', async () => {
    let bytes = 0;
    const read: string[] = [];
    const isRead = (chunk: string) => read.some((url) => url.includes(`/console/${chunk}`));
    const page = await open('/robots.txt', PHONE);
    page.on('request', (request) => read.push(request.url()));
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    const key = await service.issueKey({ access: 'admin' });
    await page.evaluate(`sessionStorage.setItem('animal-store.key', '${key}')`);
    await page.goto(`${service.url}/console`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await settled(page);
    if (process.env.TEST_FIGURES !== undefined) console.log(`the first view: ${String(bytes)} bytes`);
    expect(await widthOf(page)).toBe(PHONE);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(400_000);
    expect([isRead('console-'), isRead('usage-chart-'), isRead('animal-import-')]).toEqual([
      true,
      false,
      false,
    ]);
    await goTo(page, '/my-key');
    await page.getByText('Refused', { exact: true }).first().waitFor();
    expect([isRead('usage-chart-'), isRead('animal-import-')]).toEqual([true, false]);
    await goTo(page, '/animals/import');
    await page.getByText('Choose a CSV file').waitFor();
    expect(isRead('animal-import-')).toBe(true);
    await page.close();
  });

  it('signs in with the keyboard alone to the view of the address, and keeps the key in the tab only', async () => {
    const key = await service.issueKey({ access: 'manage' });
    const page = await open('/console#/orders');
    await page.getByLabel('API key').waitFor();
    await takePicture(page, 'console-sign-in', false);
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders' }).first().waitFor();
    expect(page.url()).toContain('#/orders');
    await buttonOf(page, 'Toggle light/dark mode').click();
    expect([await keyOfTab(page), await page.evaluate(KEPT)]).toEqual([
      key,
      '[{},["animal-store.key"],"",[],[]]',
    ]);
    await page.reload();
    await page.getByRole('heading', { name: 'Orders' }).first().waitFor();
    await buttonOf(page, /^Your key/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(KEPT)).toBe('[{},[],"",[],[]]');
    await page.close();
  });

  it.each([
    ['nothing', '', 'Paste an API key.'],
    ['half a key', 'ask_12', 'This is not a whole key'],
    ['an unknown key', generateApiKey(), 'The service does not accept this key'],
  ])('says why it does not open with %s', async (_what, key, message) => {
    const page = await open('/console');
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByText(message).waitFor();
    expect(await keyOfTab(page)).toBeNull();
    await page.close();
  });

  it('leads a key that was revoked meanwhile to the sign-in, with the reason', async () => {
    const { page, store } = await openDesk(pages, LIGHT, { access: 'manage' });
    const admin = await service.issueKey({ access: 'admin' });
    await service.call({ method: 'DELETE', path: `/v1/keys/${store.id}`, key: admin });
    await until(async () => (await store.get('/v1/pets')).status === 401);
    await goTo(page, '/animals');
    await page.getByText('You were signed out.').waitFor();
    await page.getByText('it was revoked, has expired').waitFor();
    expect(await keyOfTab(page)).toBeNull();
    await page.close();
  });

  it('shows a key the views that its access opens, also when it was lowered meanwhile', async () => {
    const { page, store } = await openDesk(pages, LIGHT, { access: 'manage' });
    await goTo(page, '/animals');
    await page.getByRole('link', { name: 'Import' }).waitFor();
    expect(await page.getByRole('link', { name: 'Keys', exact: true }).count()).toBe(0);
    const admin = await service.issueKey({ access: 'admin' });
    const body = { access: 'read' };
    await service.call({ method: 'PATCH', path: `/v1/keys/${store.id}`, key: admin, body });
    await goTo(page, '/my-key');
    await until(async () => (await page.getByRole('link', { name: 'Orders', exact: true }).count()) === 0);
    await page.close();
  });

  it.each([
    ['save my own change', 'Save my changes', 'Mine'],
    ['drop it', 'Drop mine, show theirs', 'Theirs'],
  ])(
    'tells the second of two who edit one animal what the first changed, and lets them %s',
    async (_what, button, name) => {
      const { page, store } = await openDesk(pages, LIGHT, { access: 'manage' });
      const { id } = await store.create('Base', 7);
      await goTo(page, `/animals/${String(id)}`);
      await page.getByLabel('Name').fill('Mine');
      await store.update(id, { name: 'Theirs', categoryId: 8 });
      await buttonOf(page, 'Save').click();
      await page.getByText('Somebody changed the name to “Theirs”.').waitFor();
      await page.getByText('Somebody changed the category to “8”.').waitFor();
      await takePicture(page, 'console-conflict', false);
      await buttonOf(page, button).click();
      if (name === 'Mine') await said(page, 'Mine is saved.');
      else await until(async () => (await page.getByLabel('Name').inputValue()) === 'Theirs');
      const { body } = await store.list(`ids=${String(id)}`);
      expect(body).toMatchObject([{ name, categoryId: 8n }]);
      await page.close();
    },
  );

  it('says that the network is lost, keeps what was typed, and goes on when it is back', async () => {
    const { page, store } = await openDesk(pages, LIGHT, { access: 'manage' });
    const { id } = await store.create('Offline', 7);
    await goTo(page, `/animals/${String(id)}`);
    await page.getByLabel('Name').fill('Online');
    await page.context().setOffline(true);
    await page.getByText('No connection to the service.').waitFor();
    await buttonOf(page, 'Save').click();
    await said(page, 'The service cannot be reached.');
    expect(await page.getByLabel('Name').inputValue()).toBe('Online');
    await page.context().setOffline(false);
    await buttonOf(page, 'Save').click();
    await said(page, 'Online is saved.');
    expect(await page.getByText('No connection to the service.').count()).toBe(0);
    await page.close();
  });

  it('does not forget the key when the service cannot be reached at the start', async () => {
    const { page } = await openDesk(pages, LIGHT, { access: 'read' });
    await page.route('**/v1/**', (route) => route.abort());
    await page.reload();
    await page.getByText('The console cannot open').waitFor();
    await page.unroute('**/v1/**');
    await buttonOf(page, 'Try again').click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.close();
  });

  it('shows times in the zone of the reader, with UTC on hover', async () => {
    const { page } = await openDesk(pages, LIGHT, { access: 'read', expiresInMs: 20 * DAY_MS });
    await goTo(page, '/my-key');
    const end = page.locator('time').first();
    expect(await end.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(await end.innerText()).toContain('(in 20 days)');
    await page.close();
  });

  it('shortens a long name of the key in its bar, and shows it whole in My key', async () => {
    const name = 'W'.repeat(255);
    const { page } = await openDesk(pages, LIGHT, { access: 'read', name });
    await goTo(page, '/my-key');
    await page.getByRole('heading', { name }).waitFor();
    expect((await page.locator('header').boundingBox())!.height).toBeLessThan(80);
    expect(await widthOf(page)).toBe(WIDE);
    await page.close();
  });

  it('stays quick and finds its way among 10,000 keys and 10,000 orders', async () => {
    const { page, store } = await openDesk(pages, LIGHT, { access: 'admin' });
    await issueKeys(service, ROWS, { name: 'Crowd', access: 'order' });
    await service.issueKey({ name: 'Needle in the crowd' });
    await onDatabase(
      service,
      `with animal as (insert into pets (name, category_id, status) values ('Often ordered', 1, 'available') returning id)
       insert into orders (pet_id, key_id, status) select animal.id, $1, 'cancelled' from animal, generate_series(1, ${String(ROWS)})`,
      [store.id],
    );
    await goTo(page, filtered('keys', { q: 'Needle' }));
    await page.getByRole('cell', { name: 'Needle in the crowd' }).waitFor();
    await goTo(page, filtered('orders', { keyId: store.id, status: 'cancelled' }));
    await page.getByRole('cell', { name: 'Often ordered' }).first().waitFor();
    await buttonOf(page, 'Next').click();
    await page.getByText('26–50, and more').waitFor();
    // The seventh page by its address takes two requests.
    await goTo(
      page,
      filtered('orders', { keyId: store.id, status: 'cancelled' }).replace('page=1', 'page=7'),
    );
    await page.getByText('151–175, and more').waitFor();
    await page.reload();
    await page.getByText('151–175, and more').waitFor();
    await page.close();
  });

  it('leads from /keys and /usage to their places', async () => {
    const { page } = await openDesk(pages, LIGHT, { access: 'admin' });
    for (const [path, place] of [
      ['/keys', '#/keys'],
      ['/usage', '#/my-key'],
    ]) {
      await page.goto(service.url + path!);
      expect(page.url()).toBe(`${service.url}/console${place!}`);
      await settled(page);
    }
    await page.close();
  });
});
