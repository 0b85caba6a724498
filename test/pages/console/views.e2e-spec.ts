import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Store } from '../../support/store.js';
import { describePage, widthOf } from '../../support/tools/browser.js';
import {
  buttonOf,
  DRESSES,
  filtered,
  findingsOf,
  goTo,
  openDesk,
  settled,
} from '../../support/tools/console.js';
import { takePicture } from '../../support/tools/pictures.js';

/** The addresses of every view, of a partner's key, an order and an animal. */
const VIEWS: [view: string, address: (ids: Ids) => string][] = [
  ['overview', () => '/'],
  ['orders', ({ partner }) => filtered('orders', { keyId: partner })],
  ['order', ({ order }) => `/orders/${order}/show`],
  ['animals', () => filtered('animals', { categoryId: '7' })],
  ['animal', ({ pet }) => `/animals/${pet}`],
  ['animal-seen', ({ pet }) => `/animals/${pet}/show`],
  ['animal-new', () => '/animals/create'],
  ['import', () => '/animals/import'],
  ['keys', () => filtered('keys', {})],
  ['key', ({ partner }) => `/keys/${partner}/show`],
  ['key-edit', ({ partner }) => `/keys/${partner}`],
  ['key-new', () => '/keys/create'],
  ['my-key', () => '/my-key'],
  ['nothing', () => filtered('animals', { id: '9223372036854775807' })],
  ['no-such-view', () => '/nowhere'],
];

interface Ids {
  partner: string;
  order: string;
  pet: string;
}

describePage('every view of the console', (pages) => {
  const { service, open } = pages;

  describe.each(DRESSES)('$dress', (dress) => {
    let page: Page;
    let ids: Ids;

    beforeAll(async () => {
      const desk = await openDesk(pages, dress, { access: 'admin', name: 'Mia', plan: 'business' });
      const { id: partner, key } = await service.issue({ name: 'Pet palace', plan: 'pro', access: 'order' });
      const buyer = new Store(service.url, key, partner);
      const pets = [];
      for (const name of ['Bella', 'Rex', 'Minka', 'Señor Wuff']) pets.push(await desk.store.create(name, 7));
      const orders = [];
      for (const pet of pets.slice(0, 3)) orders.push(await buyer.placed(pet.id));
      await desk.store.transition(orders[1]!.id, 'approve');
      page = desk.page;
      ids = { partner, order: String(orders[0]!.id), pet: String(pets[3]!.id) };
    });
    afterAll(() => page.close());

    async function expectWellMade(view: string, shown = page): Promise<void> {
      await takePicture(shown, `console-${view}-${dress.dress.replace(', ', '-')}`, false);
      expect([await widthOf(shown), await findingsOf(shown)]).toEqual([dress.width, []]);
    }

    it.each(VIEWS)('fits, and axe finds nothing: %s', async (view, addressOf) => {
      await goTo(page, addressOf(ids));
      await settled(page);
      await expectWellMade(view);
    });

    it('fits, and axe finds nothing: a dialog', async () => {
      await goTo(page, `/keys/${ids.partner}/show`);
      await buttonOf(page, 'Revoke').click();
      await page.getByRole('dialog').waitFor();
      await expectWellMade('revoke');
    });

    it('fits, and axe finds nothing: the sign-in', async () => {
      const signIn = await open('/console', dress.width, { colorScheme: dress.colorScheme });
      await signIn.getByLabel('API key').waitFor();
      await expectWellMade('sign-in', signIn);
      await signIn.close();
    });
  });
});
