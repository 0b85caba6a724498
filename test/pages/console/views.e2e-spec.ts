import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../../../src/platform/common/time.js';
import { orderOf, Store } from '../../support/store.js';
import { widthOf } from '../../support/tools/browser.js';
import {
  buttonOf,
  describeConsole,
  filtered,
  findingsOf,
  FORMATS,
  goTo,
  openDesk,
  setAddress,
  settled,
  THEMES,
} from '../../support/tools/console.js';
import { takePicture } from '../../support/tools/pictures.js';
import { WebhooksOf } from '../../support/webhooks.js';

interface Ids {
  partner: string;
  order: string;
  pet: string;
  webhook: string;
}

/** Every view with its title and its address: of a partner's key, an order, an animal and a webhook. */
const VIEWS: [view: string, title: string | RegExp, address: (ids: Ids) => string][] = [
  ['overview', 'Overview', () => '/'],
  ['orders', 'Orders', () => '/orders'],
  ['orders-of-partner', 'Orders', ({ partner }) => filtered('orders', { keyId: partner })],
  ['order', /^Order \d+$/, ({ order }) => `/orders/${order}/show`],
  ['animals', 'Animals', () => filtered('animals', { categoryId: '7' })],
  ['animal', 'Señor Wuff', ({ pet }) => `/animals/${pet}`],
  ['animal-new', 'Add an animal', () => '/animals/create'],
  ['animal-seen', 'Señor Wuff', ({ pet }) => `/animals/${pet}/show`],
  ['import', 'Import animals', () => '/animals/import'],
  ['events', 'Events', () => '/events'],
  ['keys', 'Keys', () => filtered('keys', {})],
  ['key', 'Pet palace', ({ partner }) => `/keys/${partner}/show`],
  ['key-edit', 'Edit Pet palace', ({ partner }) => `/keys/${partner}`],
  ['key-new', 'Issue a key', () => '/keys/create'],
  ['webhooks-none', 'Webhooks', () => '/webhooks'],
  ['my-key', 'My key', () => '/my-key'],
  ['webhooks', 'Webhooks', () => '/webhooks'],
  ['webhook', 'Webhook', ({ webhook }) => `/webhooks/${webhook}/show`],
  ['webhook-edit', 'Edit the webhook', ({ webhook }) => `/webhooks/${webhook}`],
  ['webhook-new', 'Add a webhook', () => '/webhooks/create'],
  ['nothing', 'Animals', () => filtered('animals', { id: '9223372036854775807' })],
  ['error', 'Cannot be shown', () => '/orders/9223372036854775807/show'],
];

const titled = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, level: 1, exact: true });

describeConsole('every view of the console', (pages) => {
  const { service, open } = pages;

  describe.each(FORMATS)('%s', (format, width) => {
    let page: Page;
    let staff: Store;
    const ids = { webhook: '' } as Ids;

    beforeAll(async () => {
      staff = new Store(service.url, await service.issueKey({ access: 'manage', name: 'Tom' }));
      const partners = [];
      for (const name of ['Cats & Co', 'Pet palace']) {
        const { id, key } = await service.issue({
          name,
          plan: 'pro',
          access: 'order',
          expiresInMs: 9 * DAY_MS,
        });
        partners.push(new Store(service.url, key, id));
      }
      const pets = [];
      for (const name of ['Bella', 'Rex', 'Minka', 'Tiger', 'Luna', 'Señor Wuff'])
        pets.push(await staff.create(name, 7));
      const orders = [];
      for (const [at, pet] of pets.slice(0, 5).entries()) {
        const body = `{"petId":${String(pet.id)},"reference":"PO-${String(1041 + at)}"}`;
        orders.push(
          orderOf(await partners[at % 2]!.send({ method: 'POST', path: '/v1/store/orders', body })),
        );
      }
      for (const [at, action] of [
        [0, 'approve'],
        [0, 'deliver'],
        [1, 'approve'],
        [2, 'cancel'],
      ] as const)
        await staff.transition(orders[at]!.id, action);
      const key = { access: 'admin', name: 'Mia', plan: 'business' } as const;
      ({ page, store: staff } = await openDesk(pages, { width, colorScheme: 'light' }, key));
      Object.assign(ids, {
        partner: partners[1]!.id,
        order: String(orders[3]!.id),
        pet: String(pets[5]!.id),
      });
    });
    afterAll(async () => {
      await new WebhooksOf(staff).remove(ids.webhook);
      await page.close();
    });

    /** Looks at a view in both themes, which differ in their colours. */
    async function expectWellMade(view: string, shown = page): Promise<void> {
      await shown.mouse.move(width - 1, 899);
      for (const colorScheme of THEMES) {
        await shown.emulateMedia({ colorScheme });
        await settled(shown);
        await takePicture(shown, `console-${view}-${format}-${colorScheme}`, false);
        const findings = await findingsOf(shown, colorScheme === 'light' ? undefined : ['color-contrast']);
        expect([colorScheme, await widthOf(shown), findings]).toEqual([colorScheme, width, []]);
      }
    }

    /** What a view shows comes to be when the view before it has been looked at. */
    async function prepare(view: string): Promise<void> {
      if (view === 'webhooks') {
        const url = 'https://hooks.pet-palace.example/animal-store/events?source=production';
        ids.webhook = (await new WebhooksOf(staff).create({ url, types: ['order.approved'] })).id;
      }
    }

    it.each(VIEWS)('fits, and axe finds nothing: %s', async (view, title, addressOf) => {
      await prepare(view);
      await goTo(page, addressOf(ids));
      await titled(page, title).waitFor();
      if (view === 'events') await happen();
      await expectWellMade(view);
    });

    /** Lines of the feed. */
    async function happen(): Promise<void> {
      await page.getByText('Nothing has happened yet').waitFor();
      const { id } = await staff.create('Happy', 7);
      await staff.transition((await staff.placed(id)).id, 'approve');
      await page.getByText(/^Order \d+ of Happy was approved\.$/).waitFor();
    }

    it.each([
      ['revoke', 'Pet palace', () => `/keys/${ids.partner}/show`, 'Revoke'],
      ['rotate', 'My key', () => '/my-key', 'Rotate'],
      ['replay', 'Webhook', () => `/webhooks/${ids.webhook}/show`, 'Replay'],
    ])('fits, and axe finds nothing: the dialog to %s', async (view, title, addressOf, button) => {
      await goTo(page, addressOf());
      await titled(page, title).waitFor();
      await buttonOf(page, button).click();
      await page.getByRole('dialog').waitFor();
      await expectWellMade(view);
      await page.keyboard.press('Escape');
    });

    it('fits, and axe finds nothing: the navigation', async () => {
      await goTo(page, '/my-key');
      await titled(page, 'My key').waitFor();
      await page.getByRole('button', { name: /^(Open|Close) menu$/ }).click();
      await expectWellMade('navigation');
    });

    it('fits, and axe finds nothing: selected orders', async () => {
      await goTo(page, '/orders');
      await page
        .getByRole('checkbox', { name: /^Select (order|this row)/ })
        .first()
        .check();
      await page.getByText('1 item selected').waitFor();
      await expectWellMade('orders-selected');
    });

    it('fits, and axe finds nothing: an address that names no view', async () => {
      await setAddress(page, '/nowhere');
      await titled(page, 'No such view').waitFor();
      await expectWellMade('no-such-view');
    });

    it('fits, and axe finds nothing: the sign-in', async () => {
      const signIn = await open('/console', width);
      await signIn.getByLabel('API key').waitFor();
      await expectWellMade('sign-in', signIn);
      await signIn.close();
    });
  });
});
