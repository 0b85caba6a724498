import { expect, it } from '@jest/globals';
import { onDatabase } from '../../support/databases.js';
import { issueKeys } from '../../support/keys.js';
import type { Call } from '../../support/http/client.js';
import { untilMinuteHasRoom } from '../../support/until.js';
import { Requester } from '../support/requester.js';
import { describeHostile } from './support/scene.js';

const PER_MINUTE = 5;
const FREE_PER_MINUTE = 60;

describeHostile(
  'many callers',
  { env: { TRUST_PROXY: '1', ANONYMOUS_PER_MINUTE: String(PER_MINUTE) }, pets: 0 },
  (scene) => {
    /** Sends many requests in a few lanes. Returns the number of responses of each status. */
    async function sendAll(count: number, sent: (at: number) => Call): Promise<Record<number, number>> {
      const requester = new Requester('nonsense');
      const statuses: Record<number, number> = {};
      let next = 0;
      const lane = async () => {
        while (next < count) {
          const { status } = await requester.send(scene.url, sent(next++));
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: 20 }, lane));
      return statuses;
    }
    const from = (address: string): Call => ({ path: '/v1/pets', headers: { 'x-forwarded-for': address } });

    it.each([
      ['IPv4', '203.0.113.7', (port: number) => `203.0.113.7:${port}`],
      ['IPv6', '2001:db8::7', (port: number) => `[2001:db8::7]:${port}`],
    ])('are counted by address behind a proxy that adds ports (%s)', async (_name, bare, withPort) => {
      await untilMinuteHasRoom();
      const guesses = await sendAll(2 * PER_MINUTE, (at) => from(withPort(40_000 + at)));
      expect(guesses).toEqual({ 401: PER_MINUTE, 429: PER_MINUTE });
      expect(await sendAll(1, () => from(bare))).toEqual({ 429: 1 });
      // Another address behind the same proxy has its own window.
      expect(await sendAll(1, () => from('203.0.113.8:1'))).toEqual({ 401: 1 });
    });

    it('from 10,000 addresses use little memory', async () => {
      const addressOf = (at: number) => from(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
      // The first requests use memory that does not depend on the number of addresses.
      await sendAll(2_000, addressOf);
      await scene.attack({ grewMb: 50 }, async () => {
        const statuses = await sendAll(10_000, (at) => addressOf(2_000 + at));
        expect(statuses).toEqual({ 401: 10_000 });
      });
    });

    it('with 5,000 known keys use little memory', async () => {
      const keys = await issueKeys(scene.database, 5_000);
      await scene.attack({ grewMb: 100 }, async () => {
        const statuses = await sendAll(keys.length, (at) => ({
          path: '/v1/pets',
          headers: { authorization: `Bearer ${keys[at]!.key}` },
        }));
        expect(statuses).toEqual({ 200: keys.length });
      });
    });

    it('with one free key store at most as many idempotency keys as its minute limit', async () => {
      const [issued] = await issueKeys(scene.database, 1, { plan: 'free' });
      await untilMinuteHasRoom(20_000);
      const requester = new Requester(issued!.key);
      const one = (at: number) => requester.createPet(scene.url, `flood-${at}`);
      const replies = await Promise.all(Array.from({ length: 400 }, (_, at) => one(at)));
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(FREE_PER_MINUTE);
      expect(replies.filter(({ status }) => status === 429)).toHaveLength(400 - FREE_PER_MINUTE);
      const [row] = await onDatabase<{ count: string }>(
        scene.database,
        'select count(*) from idempotency_keys',
      );
      expect(Number(row!.count)).toBe(FREE_PER_MINUTE);
    });
  },
);
