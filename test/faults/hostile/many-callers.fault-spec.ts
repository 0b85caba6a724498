import { expect, it } from '@jest/globals';
import { onDatabase } from '../../support/databases.js';
import { issueKeys } from '../../support/keys.js';
import type { Call } from '../../support/http/client.js';
import { atOnce, untilMinuteHasRoom } from '../../support/until.js';
import { Requester } from '../support/requester.js';
import { describeHostile } from './support/scene.js';

const FREE_PER_MINUTE = 60;

describeHostile(
  'many callers',
  { env: { TRUST_PROXY: '1', ANONYMOUS_PER_MINUTE: '5' }, pets: 0 },
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
      await atOnce(20, lane);
      return statuses;
    }
    const from = (address: string): Call => ({ path: '/v1/pets', headers: { 'x-forwarded-for': address } });

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
      const replies = await atOnce(400, (at) => one(at));
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
