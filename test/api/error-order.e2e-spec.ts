import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../src/auth/keys/secrets/api-key-format.js';
import { type Answer, type Call } from '../support/http/client.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { expectError, type Code, VARYING_HEADERS } from '../support/http/expect-error.js';
import { sharedService } from '../support/service.js';
import { storeOf } from '../support/store.js';

/** Who sends a request. */
type Sender = 'writer' | 'reader' | 'anonymous';
interface Draft extends Omit<Call, 'key'> {
  as?: Sender;
}

const TOO_LARGE = '{"name":"Rex","categoryId":7}'.padEnd(70_000);
const UNKNOWN_CURSOR = `cursor=${'A'.repeat(28)}`;

const withQuery = (draft: Draft, query: string): Draft => ({
  ...draft,
  path: `${draft.path}${draft.path.includes('?') ? '&' : '?'}${query}`,
});

/** Adds the fault of each code to a request. */
const FAULTS: Partial<Record<Code, (draft: Draft) => Draft>> = {
  missing_api_key: (draft) => ({ ...draft, as: 'anonymous' }),
  insufficient_access: (draft) => ({ ...draft, as: 'reader' }),
  bad_request: (draft) => withQuery(draft, '%zz'),
  route_not_found: (draft) => ({ ...draft, path: draft.path.replace('pets', 'nowhere') }),
  method_not_allowed: (draft) => ({ ...draft, method: 'PUT' }),
  unsupported_media_type: (draft) => ({
    ...draft,
    headers: { ...draft.headers, 'content-type': 'text/plain' },
  }),
  body_too_large: (draft) => ({ ...draft, body: TOO_LARGE }),
  malformed_json: (draft) => ({ ...draft, body: '{' }),
  invalid_parameter: (draft) => withQuery(draft, 'colour=red'),
  invalid_cursor: (draft) => withQuery(draft, UNKNOWN_CURSOR),
  invalid_body: (draft) => ({ ...draft, body: { nonsense: true } }),
  // Printable, and one character too long.
  invalid_idempotency_key: (draft) => ({
    ...draft,
    headers: { ...draft.headers, 'idempotency-key': 'x'.repeat(256) },
  }),
  order_not_found: (draft) => ({ ...draft, path: draft.path.replace('/orders/1', '/orders/abc') }),
  pet_not_found: (draft) => ({ ...draft, path: draft.path.replace(/\/pets(\/1)?/, '/pets/abc') }),
};
const READ: Draft = { path: '/v1/pets' };
const WRITE: Draft = { method: 'POST', path: '/v1/pets', body: { name: 'Rex', categoryId: 7 } };
const CHANGE: Draft = { method: 'PATCH', path: '/v1/pets/1', body: { status: 'sold' } };
const REMOVE: Draft = { method: 'DELETE', path: '/v1/pets/1' };
const APPROVE: Draft = { method: 'POST', path: '/v1/store/orders/1/approve', body: {} };
const OF_A_BODY: Code[] = ['unsupported_media_type', 'body_too_large', 'malformed_json', 'invalid_parameter'];
const OF_A_WRITE: Code[] = ['missing_api_key', 'insufficient_access', ...OF_A_BODY];
const CHAINS: [Draft, Code[]][] = [
  [WRITE, [...OF_A_WRITE, 'invalid_idempotency_key', 'invalid_body']],
  [WRITE, ['bad_request', ...OF_A_WRITE]],
  [WRITE, ['missing_api_key', 'route_not_found', 'method_not_allowed', ...OF_A_BODY]],
  [READ, ['missing_api_key', 'route_not_found', 'invalid_parameter', 'invalid_cursor']],
  [READ, ['missing_api_key', 'invalid_parameter', 'pet_not_found']],
  [CHANGE, [...OF_A_WRITE, 'invalid_body', 'pet_not_found']],
  [REMOVE, ['missing_api_key', 'insufficient_access', 'invalid_parameter', 'pet_not_found']],
  [APPROVE, [...OF_A_WRITE, 'invalid_idempotency_key', 'invalid_body', 'order_not_found']],
];

/** Two faults of a chain in one request: the service reports the first. The later one is added first, so that the earlier wins. */
const PAIRS = CHAINS.flatMap(([base, codes]) =>
  codes.flatMap((first, index) =>
    codes.slice(index + 1).map((second): [Code, Code, string, Draft] => {
      const draft = [second, first].reduce((faulty, code) => FAULTS[code]!(faulty), base);
      return [first, second, `${base.method ?? 'GET'} ${base.path}`, draft];
    }),
  ),
);
/** The same pair may stand in two chains. */
const DISTINCT_PAIRS = [...new Map(PAIRS.map((pair) => [`${pair[0]} ${pair[1]} ${pair[2]}`, pair])).values()];

/** Targets under the API that a caller without a key may send. */
const SPELLINGS =
  `/v1 /v1/ /v1/pets /v1/pets/1 /v1/pets/abc /v1/pets/ /v1/nowhere /%761/pets /v%31/nowhere /%76%31%2fpets
  /v1%2Fpets /v1%2fnowhere /v1//pets http://example.com/v1/pets HTTPS://example.com/%761/nowhere http:///v1/pets
  /v1/pets?limit=0 /v1/pets?cursor=x /v1/pets;a=b /v1/../docs /v1/..%2fhealth/live
  /v1/pets%00 /v1/pets?__proto__=1`
    .split(/\s+/)
    .map((target): [string, string] => [target.slice(0, 40), target]);

const BODIES: Omit<Call, 'path'>[] = [
  { method: 'GET' },
  { method: 'POST' },
  { method: 'POST', body: '{' },
  { method: 'POST', body: TOO_LARGE },
  { method: 'POST', body: 'a=b', headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' } },
  { method: 'POST', body: 'a', headers: { 'content-type': '' } },
  { method: 'PUT', body: TOO_LARGE },
  { method: 'PATCH', body: '' },
  { method: 'DELETE' },
  { method: 'OPTIONS' },
  { method: 'OPTIONS', headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' } },
  { method: 'PROPFIND' },
];

/** Authorization headers without a key in the one valid form. `KEY` stands for a valid key. */
const MALFORMED: (string | string[])[] = [
  ...`|Bearer|Bearer |KEY|Basic KEY|Token KEY|BearerKEY|Bearer: KEY|Bearer KEY x|Bearer KEY,KEY|Bearer "KEY"|Bearer KEY=|Bearer KEY;
  |Bearer KEYa|Bearer aKEY|Bearer Bearer KEY|Bearer <KEY>|Bearer\tKEY|Bearer\xa0KEY|Bearer %00|Bearer \xe9|Bearer null|Bearer ask_
  |Bearer ${'x'.repeat(60)}|Bearer KEY\\n`
    .replaceAll(/\n +/g, '')
    .split('|'),
  ['Bearer KEY', 'Bearer KEY'],
  ['Bearer KEY', ''],
  ['Bearer KEY', 'Basic YTpi'],
  ['', 'Bearer KEY'],
];

describe('the API', () => {
  const service = sharedService(anyKind);
  const writer = storeOf(service);
  const reader = storeOf(service, { access: 'read' });

  const send = ({ as = 'writer', ...rest }: Draft) =>
    service.call({ ...rest, key: { writer, reader, anonymous: undefined }[as]?.key });
  const authorized = (authorization: string | string[]) =>
    service.call({ path: '/v1/pets', headers: { authorization } });

  it.each(DISTINCT_PAIRS)('reports %s before %s at %s', async (first, _second, _where, draft) => {
    expectError(await send(draft), first);
  });

  it('reports each of these faults when it is the only one', async () => {
    for (const [base, codes] of CHAINS) {
      for (const code of codes) expectError(await send(FAULTS[code]!(base)), code);
    }
  });

  it('allows a read-only key to read, and requires a writing key only for writing operations', async () => {
    expect((await send({ ...READ, as: 'reader' })).status).toBe(200);
    expect((await send({ ...READ, as: 'reader', method: 'HEAD' })).status).toBe(200);
    expectError(await send({ as: 'reader', method: 'POST', path: '/v1/nowhere' }), 'route_not_found');
    expectError(await send({ as: 'reader', method: 'PUT', path: '/v1/pets' }), 'method_not_allowed');
    expectError(await send({ as: 'reader', method: 'POST', path: '/v1/pets/1' }), 'method_not_allowed');
  });

  it.each(SPELLINGS)('answers only 401 to an unauthenticated caller at %s', async (_shown, path) => {
    for (const request of BODIES) {
      expectError(await service.call({ ...request, path }), 'missing_api_key');
      const headers = { ...request.headers, authorization: 'Bearer nobody' };
      expectError(await service.call({ ...request, path, headers }), 'invalid_api_key');
    }
    const head = await service.call({ method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([401, '']);
  });

  it('names the Authorization header when the key is missing', async () => {
    const answer = await service.call({ path: '/v1/pets' });
    expect(expectError(answer, 'missing_api_key')).toContain('Authorization: Bearer');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="animal-store"');
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])(
    'accepts the scheme written as %s',
    async (scheme) => {
      expect((await authorized(`${scheme} ${writer.key}`)).status).toBe(200);
    },
  );

  /** The answer to a well-formed key that was never issued; every other failure has to look the same. */
  async function expectAnswerOfUnknownKey(answer: Answer): Promise<void> {
    const expected = await authorized(`Bearer ${generateApiKey()}`);
    expectError(expected, 'invalid_api_key');
    expect(expected.headers['www-authenticate']).toBe('Bearer realm="animal-store", error="invalid_token"');
    expect({ ...answer.headers, ...VARYING_HEADERS }).toEqual({ ...expected.headers, ...VARYING_HEADERS });
    expect(answer.text).toBe(expected.text);
  }

  // api-key-format.spec.ts has the malformed keys.
  it.each(MALFORMED)('answers the Authorization header %j like an unknown key', async (value) => {
    const withKey = (text: string) => text.replaceAll('KEY', writer.key);
    const header = Array.isArray(value) ? value.map(withKey) : withKey(value);
    await expectAnswerOfUnknownKey(await authorized(header));
  });

  it('answers a revoked key like an unknown key', async () => {
    const revoked = await service.issueKey({ revoked: true });
    await expectAnswerOfUnknownKey(await authorized(`Bearer ${revoked}`));
  });

  it('answers an expired key like an unknown key from the moment of expiry', async () => {
    const { id, key } = await service.issue({ expiresInMs: 1_000 });
    const select = 'select expires_at as at from api_keys where id = $1';
    const [expiry] = await onDatabase<{ at: Date }>(service, select, [id]);
    const expiresAtMs = expiry!.at.getTime();
    let answer = await authorized(`Bearer ${key}`);
    while (answer.status === 200 && Date.now() < expiresAtMs + 1_000)
      answer = await authorized(`Bearer ${key}`);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs);
    await expectAnswerOfUnknownKey(answer);
  });
});
