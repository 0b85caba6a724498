import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactApiKeys } from './redact.js';

const KEY = 'ask_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP';
const secret = (min: number, max: number) => fc.stringMatching(new RegExp(`^[0-9A-Za-z]{${min},${max}}$`));

describe('redactApiKeys', () => {
  it.each([
    [KEY, 'ask_…'],
    [`{"key":"${KEY}","other":"${KEY}"}`, '{"key":"ask_…","other":"ask_…"}'],
    [`x${KEY}stuck-on`, 'xask_…-on'],
    [KEY + KEY, 'ask_…ask_…'],
    [KEY.slice(0, 16), 'ask_…'],
    [`cut: ${KEY.slice(0, 30)}…`, 'cut: ask_……'],
    ['{"secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}', '{"secret":"whsec_…"}'],
    [`whsec_MfKQ9r8GKYqrTwjU/+8ILPZIo2LaLaSw== ${KEY}`, 'whsec_… ask_…'],
  ])('redacts %s', (text, redacted) => {
    expect(redactApiKeys(text)).toBe(redacted);
  });

  it.each(['', 'ask_003aUlTJ', KEY.slice(0, 15), 'ask_…', 'task_list_of_today', KEY.slice(4)])(
    'does not change %j',
    (text) => {
      expect(redactApiKeys(text)).toBe(text);
    },
  );

  it('redacts every key of at least twelve characters, and keeps the text around it', () => {
    const around = fc.stringMatching(/^[ -/:-@[-^{-~]{0,20}$/);
    fc.assert(
      fc.property(around, secret(12, 60), around, (before, key, after) => {
        expect(redactApiKeys(`${before}ask_${key}${after}`)).toBe(`${before}ask_…${after}`);
      }),
    );
  });
});
