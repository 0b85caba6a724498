import { describe, expect, it } from '@jest/globals';
import { serializePath, serializeQuery } from './url.js';

describe('serializePath', () => {
  it.each([
    [7, '7'],
    [-1, '-1'],
    [2n ** 63n - 1n, '9223372036854775807'],
  ])('puts %s into the path', (petId, text) => {
    expect(serializePath('http://a/v1/pets/{petId}', { petId })).toBe(`http://a/v1/pets/${text}`);
  });

  it.each(['', '..', '7', undefined, null])('refuses %j, which the types do not allow', (petId) => {
    expect(() => serializePath('/pets/{petId}', { petId })).toThrow(
      new TypeError('petId: expected a number or a bigint'),
    );
  });
});

describe('serializePath with a key', () => {
  it.each(['me', '0b9cbf57-56b1-4a5e-8a5c-7d2f7d4f7d10'])('puts %s into the path', (keyId) => {
    expect(serializePath('/keys/{keyId}', { keyId })).toBe(`/keys/${keyId}`);
  });

  it.each(['', '..', 'me/rotate', 'ask_secret', 7, undefined])('refuses %j', (keyId) => {
    expect(() => serializePath('/keys/{keyId}', { keyId })).toThrow(TypeError);
  });
});

describe('serializePath with a webhook', () => {
  it('puts its UUID into the path', () => {
    const webhookId = '0b9cbf57-56b1-4a5e-8a5c-7d2f7d4f7d10';
    expect(serializePath('/webhooks/{webhookId}/test', { webhookId })).toBe(`/webhooks/${webhookId}/test`);
  });

  it.each(['', '..', 'me', 7, undefined])('refuses %j', (webhookId) => {
    expect(() => serializePath('/webhooks/{webhookId}', { webhookId })).toThrow(
      new TypeError('webhookId: expected a UUID'),
    );
  });
});

describe('serializeQuery', () => {
  it.each([
    [{}, ''],
    [{ limit: 5, cursor: undefined }, 'limit=5'],
    [{ ids: [1, 2n ** 60n] }, 'ids=1,1152921504606846976'],
    [{ ids: [] }, 'ids='],
    [{ cursor: 'a&b' }, 'cursor=a%26b'],
  ])('writes %j', (parameters, query) => {
    expect(serializeQuery(parameters)).toBe(query);
  });
});
