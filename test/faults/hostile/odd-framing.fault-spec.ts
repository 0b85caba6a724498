import { expect, it } from '@jest/globals';
import { until } from '../../support/until.js';
import { Attacker, closeAll, head, untilQuiet } from './support/attacker.js';
import { describeHostile } from './support/scene.js';

/** Far below the deadlines of 10 and 30 s, so that a response within this time came at once. */
const AT_ONCE_MS = 3_000;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const PET = '{"name":"Rex","categoryId":7}';

describeHostile(
  'a request',
  (scene) => scene.start(),
  (scene) => {
    /** Sends bytes and resolves when that many responses have begun, or when AT_ONCE_MS is over. */
    async function exchange(bytes: string, answers = 1): Promise<Attacker> {
      const attacker = await Attacker.open(scene.url);
      attacker.send(bytes);
      const begunMs = performance.now();
      const isLate = () => performance.now() - begunMs > AT_ONCE_MS;
      await until(() => attacker.statuses.length >= answers || attacker.isClosed || isLate());
      return attacker;
    }

    async function expectClosed(attacker: Attacker): Promise<void> {
      const begunMs = performance.now();
      await until(() => attacker.isClosed || performance.now() - begunMs > AT_ONCE_MS);
      expect(attacker.isClosed).toBe(true);
    }

    it.each([
      ['websocket', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
      [
        'h2c',
        'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n',
      ],
    ])('with an upgrade to %s gets a normal response, and the connection closes', async (_name, lines) => {
      const attacker = await exchange(head('/v1/pets', scene.key, lines) + head('/v1/pets', scene.key));
      expect(attacker.statuses[0]).toBe(200);
      await expectClosed(attacker);
      // A later request is answered or the connection closes.
      expect(attacker.statuses).toEqual([200]);
      expect(attacker.received).toMatch(/^connection: close\r$/im);
    });

    it('with an upgrade after another request is answered in order', async () => {
      const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nX-Request-Id: second\r\n';
      const first = head('/v1/pets', scene.key, 'X-Request-Id: first\r\n');
      const attacker = await exchange(first + head('/v1/pets', scene.key, upgrade), 2);
      expect(attacker.requestIds).toEqual(['first', 'second']);
      await expectClosed(attacker);
    });

    it('with an upgrade and no key gets 401, and the connection closes', async () => {
      const lines = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
      const attacker = await exchange(head('/v1/pets', undefined, lines));
      expect(attacker.statuses).toEqual([401]);
      await expectClosed(attacker);
    });

    it.each(['Connection: keep-alive\r\n', ''])(
      'with chunks in HTTP/1.0 (%j) gets 400, and the connection closes',
      async (lines) => {
        const key = `Authorization: Bearer ${scene.key}\r\n`;
        const chunks = `${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n1d\r\n${PET}\r\n0\r\n\r\n`;
        const attacker = await exchange(`POST /v1/pets HTTP/1.0\r\nHost: a\r\n${key}${lines}${chunks}`);
        expect(attacker.statuses).toEqual([400]);
        expect(attacker.received).toContain('"code":"bad_request"');
        await expectClosed(attacker);
      },
    );

    it.each([
      ['no key', undefined, 'missing_api_key'],
      ['an unknown key', `ask_${'a'.repeat(49)}`, 'invalid_api_key'],
    ])('with %s and Expect: 100-continue gets 401 at once', async (_who, key, code) => {
      const lines = `${JSON_TYPE}Content-Length: 29\r\nExpect: 100-continue\r\n`;
      const attacker = await exchange(head('/v1/pets', key, lines, 'POST'));
      expect(attacker.statuses).toEqual([401]);
      expect(attacker.received).toContain(code);
      attacker.close();
    });

    it('with a key and Expect: 100-continue gets 100 and then its response', async () => {
      const lines = `${JSON_TYPE}Content-Length: ${PET.length}\r\nExpect: 100-continue\r\n`;
      const attacker = await exchange(head('/v1/pets', scene.key, lines, 'POST'));
      expect(attacker.statuses).toEqual([100]);
      attacker.send(PET);
      await attacker.untilAnswers(2);
      expect(attacker.statuses).toEqual([100, 201]);
      attacker.close();
    });

    it('with an unknown expectation gets 417', async () => {
      const attacker = await exchange(head('/v1/pets', scene.key, 'Expect: a-miracle\r\n'));
      expect(attacker.statuses).toEqual([417]);
      attacker.close();
    });

    it('with CONNECT closes the connection', async () => {
      const attacker = await exchange('CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1:5432\r\n\r\n');
      await expectClosed(attacker);
      expect(attacker.received).not.toMatch(/^HTTP\/1\.1 2/);
    });

    it.each([
      ['a length', `${JSON_TYPE}Content-Length: ${PET.length}\r\n`, PET.slice(0, 5)],
      ['chunks', `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, '5\r\n{"nam\r\n'],
    ])('with half a body (%s) and no key gets 401 at once', async (_name, lines, half) => {
      const attacker = await exchange(head('/v1/pets', undefined, lines, 'POST') + half);
      expect(attacker.statuses).toEqual([401]);
      attacker.close();
    });

    it.each([
      ['no key', 401, () => undefined, JSON_TYPE],
      ['a key and 200 KB', 413, () => scene.key, JSON_TYPE],
      ['a key and no JSON', 415, () => scene.key, 'Content-Type: text/plain\r\n'],
    ])(
      'with %s gets %d before its body is sent, and the connection stays open',
      async (_who, status, key, type) => {
        const size = 200_000;
        const attacker = await exchange(
          head('/v1/pets', key(), `${type}Content-Length: ${size}\r\n`, 'POST'),
        );
        expect(attacker.statuses).toEqual([status]);
        attacker.send(' '.repeat(size) + head('/v1/pets', scene.key));
        await attacker.untilAnswers(2);
        expect(attacker.statuses).toEqual([status, 200]);
        attacker.close();
      },
    );

    it('left half-open by 500 connections holds no descriptor', async () => {
      const halves = [
        '',
        'GET /v1/pets HTTP/1.1\r\n',
        head('/v1/pets', scene.key, `${JSON_TYPE}Content-Length: 100\r\n`, 'POST') + PET,
        head('/v1/pets', undefined, `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, 'POST') + '5\r\n{"na',
        head('/v1/pets', scene.key),
      ];
      const descriptorsBefore = scene.service.descriptors;
      const impact = await scene.measureAttack('500 half-open connections', async () => {
        const attackers = await Attacker.openMany(scene.url, 500);
        for (const [at, attacker] of attackers.entries()) {
          attacker.send(halves[at % halves.length]!);
          attacker.endSending();
        }
        await untilQuiet(attackers);
        await scene.untilDescriptorsAtMost(descriptorsBefore + 15);
        closeAll(attackers);
      });
      scene.expectServed(impact);
    });
  },
);
