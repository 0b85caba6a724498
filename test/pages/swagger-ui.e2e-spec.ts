import { beforeAll, expect, it } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { ACCESS_LEVELS, isAccessEnough, type Access } from '../../src/auth/access.js';
import { OPERATIONS } from '../support/http/document.js';
import { Store } from '../support/store.js';
import { describePage, PHONE, WIDE, widthOf } from '../support/tools/browser.js';
import { faintTexts } from '../support/tools/contrast.js';
import { takePicture } from '../support/tools/pictures.js';

type Operation = (typeof OPERATIONS)[number];

/** The errors of untouched forms that do not succeed: a form cannot know an id that only the caller has. */
const NAMED_REASONS: Record<string, string> = {
  cancelOrder: 'invalid_status_transition',
  updateKey: 'key_not_found',
  revokeKey: 'key_not_found',
  unbanKey: 'key_not_found',
  getWebhook: 'webhook_not_found',
  updateWebhook: 'webhook_not_found',
  deleteWebhook: 'webhook_not_found',
  rotateWebhookSecret: 'webhook_not_found',
  testWebhook: 'webhook_not_found',
};
/** It ends what the others are about. */
const LAST = 'deletePet';

/** What a later caller of the same request may hear: the first has sold the animal, or the order is not the caller's own. */
const LATER_REASONS = [
  ...new Set(Object.values(NAMED_REASONS)),
  ...['pet_not_available', 'pet_not_found', 'order_not_found'],
];
const OPTIONAL_HEADERS = ['if-none-match', 'if-match', 'idempotency-key'];

const withoutLast = OPERATIONS.filter(({ operationId }) => operationId !== LAST);
const groups = [
  ...Map.groupBy(withoutLast, ({ tags: [tag] }) => tag),
  [LAST, OPERATIONS.filter(({ operationId }) => operationId === LAST)],
] as [string, Operation[]][];

describePage('Swagger UI', ({ service, open, problems }) => {
  const stores = {} as Record<Access, Store>;
  let page: Page;

  beforeAll(async () => {
    for (const access of ACCESS_LEVELS) {
      const { id, key } = await service.issue({ name: `${access} <b>key`, access });
      stores[access] = new Store(service.url, key, id);
    }
    page = await open('/docs');
  });

  const dialog = () => page.locator('.auth-container');
  const enter = async (text: string) => {
    await dialog().locator('input').fill(text);
    await dialog().getByRole('button', { name: 'Apply credentials' }).click();
  };
  const block = ({ operationId, tags: [tag] }: Operation) =>
    page.locator(`#operations-${tag}-${operationId}`);

  it('takes a key that the service knows, and no other, and shows whose it is', async () => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    for (const nonsense of ['nonsense', 'ask_né', `${stores.read.key.slice(0, -1)}!`]) {
      await enter(nonsense);
      await dialog().getByRole('alert').filter({ hasText: 'does not know this key' }).waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    }
    expect(await faintTexts(page)).toEqual([]);
    // As it stands in a header.
    await enter(` Bearer ${stores.admin.key}\n`);
    const holder = dialog().getByRole('status');
    await holder.waitFor();
    expect(await holder.innerText()).toBe('This key is admin <b>key: admin access, plan enterprise');
    expect(await dialog().getByRole('alert').count()).toBe(0);
    await dialog().getByRole('button', { name: 'Close' }).click();
    expect(await page.locator('.scheme-container .holder').innerText()).toContain('admin access');
    expect(problems.splice(0)).toEqual(Array(2).fill(expect.stringContaining('401')));
  });

  it('marks what a key of any access may call for itself', async () => {
    for (const operation of OPERATIONS) {
      const marks = await block(operation).locator('.mark').allInnerTexts();
      expect(marks).toContain(operation['x-required-access']);
      const isForItself = operation['x-every-key-for-itself'] === true;
      expect([operation.operationId, marks.includes('every key: me')]).toEqual([
        operation.operationId,
        isForItself,
      ]);
    }
  });

  it.each(groups)(
    'sends the untouched form of every operation so that it works: %s',
    async (_name, operations) => {
      const requests: Request[] = [];
      const note = (request: Request) => request.url().includes('/v1/') && requests.push(request);
      page.on('request', note);
      await page.setViewportSize({ width: PHONE, height: 900 });
      for (const operation of operations) {
        const { operationId } = operation;
        await block(operation).locator('.opblock-summary-control').click();
        await block(operation).getByRole('button', { name: 'Execute' }).click();
        await block(operation).locator('.live-responses-table .response').waitFor();
        const request = requests.at(-1)!;
        const { pathname, search } = new URL(request.url());
        const headers = request.headers();
        expect([operationId, request.method(), search]).toEqual([operationId, operation.method, '']);
        expect(OPTIONAL_HEADERS.filter((name) => name in headers)).toEqual([]);
        const answer = (await request.response())!;
        const code = answer.ok() ? 'ok' : ((await answer.json()) as { code: string }).code;
        expect([operationId, code]).toEqual([operationId, NAMED_REASONS[operationId] ?? 'ok']);
        await expectAnswersByAccess(operation, { path: pathname, body: request.postData() ?? undefined });
        expect([operationId, await widthOf(page)]).toEqual([operationId, PHONE]);
        await block(operation).locator('.opblock-summary-control').click();
      }
      page.off('request', note);
      await page.setViewportSize({ width: WIDE, height: 900 });
      const refused = operations.filter(({ operationId }) => operationId in NAMED_REASONS);
      expect(problems.splice(0)).toEqual(refused.map(() => expect.stringMatching(/40[49]/) as unknown));
    },
  );

  /** The same request with a key of each access below `admin`: what its marks say is what it may do. */
  async function expectAnswersByAccess(
    operation: Operation,
    sent: { path: string; body: string | undefined },
  ) {
    for (const access of ACCESS_LEVELS.slice(0, -1)) {
      const { method, operationId } = operation;
      const answer = await stores[access].send({ method, ...sent });
      const code = answer.status < 400 ? 'ok' : (answer.body as { code: string }).code;
      const isForItself = operation['x-every-key-for-itself'] === true;
      const isAllowed = isForItself || isAccessEnough(access, operation['x-required-access'] as Access);
      const accepted = isForItself ? ['ok'] : isAllowed ? ['ok', ...LATER_REASONS] : ['insufficient_access'];
      expect(accepted.map((each) => [operationId, access, each])).toContainEqual([operationId, access, code]);
    }
  }

  it('has a contrast of 4.5 in all of its texts, light and dark', async () => {
    for (const name of ['Pets-createPet', 'Store-listOrders', 'Keys-updateKey'])
      await page.locator(`#operations-${name} .opblock-summary-control`).click();
    const listOrders = page.locator('#operations-Store-listOrders');
    await listOrders.locator('details.errors > summary').click();
    await listOrders.getByRole('button', { name: 'Execute' }).click();
    await listOrders.locator('.live-responses-table .response').waitFor();
    await page.locator('#operations-Keys-updateKey .responses-inner').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await faintTexts(page)]).toEqual([colorScheme, []]);
      await takePicture(page, `swagger-ui-${colorScheme}`);
    }
    expect(await widthOf(page)).toBe(WIDE);
  });

  it('finds operations on a phone by any of their words', async () => {
    const phone = await open('/docs', PHONE);
    const filter = phone.getByRole('searchbox', { name: 'Find an operation' });
    const found = async () => (await phone.locator('.operation-tag-content .opblock').all()).length;
    await phone.locator('.opblock').first().waitFor();
    await filter.fill('POST  orderid manage');
    await phone.getByRole('status').filter({ hasText: '2 operations' }).waitFor();
    expect(await found()).toBe(2);
    await filter.fill('no such thing');
    await phone.getByText('No operation has all of: no such thing').waitFor();
    await filter.fill('');
    await phone
      .getByRole('status')
      .filter({ hasText: `${String(OPERATIONS.length)} operations` })
      .waitFor();
    // It stays in sight.
    await phone.locator('#operations-Limits-getUsage').scrollIntoViewIfNeeded();
    expect((await filter.boundingBox())!.y).toBeLessThan(60);
    expect(await widthOf(phone)).toBe(PHONE);
    await phone.close();
  });
});
