import { describe, expect, it } from '@jest/globals';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';

// Computed by another implementation of the format. Issued keys have it, so it must not change.
const ZEROS = 'ask_00000000000000000000000000000000000000000002CZclj';
const LARGEST = 'ask_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1';
const COUNTING = 'ask_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP';
/** The checksum begins with zeros. */
const SMALL_SUM = 'ask_uVqwQEQ6X2c9IRzLd0HuKsxHEWu3Yq2vnmXy4BCiVHH00wshg';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

it('generateApiKey generates different, well-formed keys of random bits', () => {
  const keys = Array.from({ length: 2_000 }, generateApiKey);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) {
    expect(key).toMatch(/^ask_[0-9A-Za-z]{49}$/);
    expect(isWellFormedApiKey(key)).toBe(true);
  }
  // 42 characters hold almost 256 bits, so the first character takes fewer values than the others.
  for (let at = 5; at < 47; at++) expect(new Set(keys.map((key) => key[at])).size).toBe(ALPHABET.length);
  expect(new Set(keys.map((key) => key[4])).size).toBeGreaterThan(50);
});

describe('isWellFormedApiKey', () => {
  it.each([ZEROS, LARGEST, COUNTING, SMALL_SUM])('accepts %s', (key) => {
    expect(isWellFormedApiKey(key)).toBe(true);
  });

  it('rejects any single changed character', () => {
    for (let at = 0; at < COUNTING.length; at++) {
      for (const character of ALPHABET + '_-=+ \n') {
        if (character === COUNTING[at]) continue;
        expect(isWellFormedApiKey(COUNTING.slice(0, at) + character + COUNTING.slice(at + 1))).toBe(false);
      }
    }
  });

  it.each([
    ...['', 'ask_', COUNTING.slice(4), COUNTING.slice(0, -1), COUNTING + '0', COUNTING + '\n'],
    ...[' ' + COUNTING, COUNTING.toUpperCase(), `Bearer ${COUNTING}`, COUNTING + COUNTING],
    ...[`${COUNTING.slice(0, 20)}é${COUNTING.slice(21)}`, 'a'.repeat(1_000_000)],
  ])('rejects %#', (text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  });
});

it('hashApiKey hashes the whole key with SHA-256', () => {
  expect(hashApiKey(COUNTING).toString('hex')).toBe(
    'b6ffe9ec85eae6d3f673986398073ce0fa5ff6d1b87b96e558106b54444f1e83',
  );
});

it('displayPrefix shows ask_ and eight characters', () => {
  expect(displayPrefix(COUNTING)).toBe('ask_003aUlTJ');
});
