import { expect } from '@jest/globals';
import { isSignedBy, Receiver } from '../../support/servers/receiver.js';
import type { RunningService } from '../../support/service.js';
import { buttonOf, goTo, said, type Desk } from '../../support/tools/console.js';
import { until } from '../../support/until.js';
import { WebhooksOf } from '../../support/webhooks.js';
import { fresh, staff, tabTo } from './task.js';

const SECRET = /^whsec_[0-9A-Za-z+/]+=*$/;
const TYPES = ['pet.created'];

/** A webhook of the key that is signed in, open in the console, and the endpoint that it sends to. */
async function opened({ page, store }: Desk) {
  const receiver = await Receiver.start();
  const { id } = await new WebhooksOf(store).create({ url: receiver.url, types: TYPES });
  await goTo(page, `/webhooks/${id}/show`);
  await page.getByText(receiver.url).first().waitFor();
  return { id, receiver };
}

const addAnimal = async (service: RunningService) => (await staff(service)).create(fresh('Sent'), 7);

/** The messages about an animal. */
const messagesOf = ({ received }: Receiver, name: string) =>
  received.filter(({ event }) => event.data.name === name);

const arrivalOf = (receiver: Receiver, name: string, count = 1) =>
  until(() => messagesOf(receiver, name).length >= count && messagesOf(receiver, name));

export async function add({ page }: Desk, service: RunningService) {
  const receiver = await Receiver.start();
  await goTo(page, '/webhooks/create');
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByRole('combobox', { name: 'Events' }).click();
  await page.getByRole('option', { name: 'pet.created' }).click();
  await page.keyboard.press('Escape');
  await buttonOf(page, 'Add').click();
  const secret = await page.getByLabel('Secret', { exact: true }).innerText();
  expect(secret).toMatch(SECRET);
  await buttonOf(page, 'Copy').click();
  await page.getByText('Copied.').waitFor();
  await buttonOf(page, 'I have stored it').click();
  await page.getByText('On. Nothing was sent yet.').waitFor();
  expect(await page.content()).not.toContain(secret);
  const { name } = await addAnimal(service);
  const [message] = await arrivalOf(receiver, name);
  expect(isSignedBy(secret, message!)).toBe(true);
}

export async function beTold({ page }: Desk) {
  await goTo(page, '/webhooks');
  await goTo(page, '/webhooks/create');
  await buttonOf(page, 'Add').click();
  await page.getByText('Say where events are to be sent.').waitFor();
  await page.getByLabel('Address').fill('partner.example');
  await page.getByText('An address such as https://partner.example/hooks.').waitFor();
  await page.getByLabel('Address').fill('https://user:password@partner.example/hooks');
  await buttonOf(page, 'Add').click();
  await page.getByText('without user, password and fragment').waitFor();
}

export async function test(desk: Desk) {
  const { page } = desk;
  const { receiver } = await opened(desk);
  await buttonOf(page, 'Send a test').click();
  await said(page, /^Test: it answered 204, after \d+ ms\.$/);
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test']);
}

export async function readWhatWaits(desk: Desk, service: RunningService) {
  const { page } = desk;
  const { receiver } = await opened(desk);
  receiver.answer = (response) => response.writeHead(500).end();
  await addAnimal(service);
  await page.getByText('The last attempt failed: it answered 500.').waitFor();
  await page.getByText('1 event', { exact: true }).waitFor();
  await page.getByText('Tries again').waitFor();
  await goTo(page, '/webhooks');
  await page.getByText(receiver.url).first().waitFor();
  await page.getByText('failing', { exact: true }).first().waitFor();
}

export async function replay(desk: Desk, service: RunningService) {
  const { page } = desk;
  await addAnimal(service);
  const { receiver } = await opened(desk);
  const { name } = await addAnimal(service);
  await arrivalOf(receiver, name);
  await buttonOf(page, 'Replay').click();
  await page.getByLabel('Since').waitFor();
  await buttonOf(page.getByRole('dialog'), 'Replay').click();
  await said(page, /^Events since .* are sent again\.$/);
  const [first, again] = await arrivalOf(receiver, name, 2);
  expect(again!.event).toEqual(first!.event);
}

export async function rotate(desk: Desk, service: RunningService) {
  const { page } = desk;
  const { receiver } = await opened(desk);
  await buttonOf(page, 'New secret').click();
  await buttonOf(page.getByRole('dialog'), 'New secret').click();
  const secret = await page.getByLabel('Secret', { exact: true }).innerText();
  expect(secret).toMatch(SECRET);
  await buttonOf(page, 'I have stored it').click();
  const { name } = await addAnimal(service);
  const [message] = await arrivalOf(receiver, name);
  expect(isSignedBy(secret, message!)).toBe(true);
}

export async function switchWithKeyboard(desk: Desk, service: RunningService) {
  const { page } = desk;
  const { receiver } = await opened(desk);
  await tabTo(page, buttonOf(page, 'Switch off'));
  await page.keyboard.press('Enter');
  await said(page, 'Nothing is sent any more.');
  await page.getByText('Off: it was switched off.').waitFor();
  const { name } = await addAnimal(service);
  await tabTo(page, buttonOf(page, 'Switch on'));
  expect(messagesOf(receiver, name)).toEqual([]);
  await page.keyboard.press('Enter');
  await said(page, 'Events are sent, from where it was.');
  await arrivalOf(receiver, name);
}

export async function remove(desk: Desk) {
  const { page, store } = desk;
  const { id, receiver } = await opened(desk);
  await buttonOf(page, 'Remove').click();
  await buttonOf(page.getByRole('dialog'), 'Remove').click();
  await said(page, 'The webhook is removed.');
  await page.getByRole('heading', { name: 'Webhooks' }).first().waitFor();
  await until(async () => (await page.getByText(receiver.url).count()) === 0);
  expect((await new WebhooksOf(store).get(id)).status).toBe(404);
}
