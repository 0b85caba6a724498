import { describe, expect, it } from '@jest/globals';
import { isPlainHttp, isWebhookUrl } from './webhook-url.js';

const longest = `https://a.example/${'a'.repeat(2_048 - 'https://a.example/'.length)}`;

describe('the address of a webhook', () => {
  it.each([
    'https://partner.example',
    'https://partner.example:8443/hooks?a=1&b=%20',
    'HTTPS://Partner.example/hooks@home',
    'http://partner.example/',
    'https://203.0.113.7/',
    'https://[2001:db8::1]:1/',
    'https://bücher.example/',
    longest,
  ])('may be %s', (url) => expect(isWebhookUrl(url)).toBe(true));

  it.each([
    7,
    null,
    '',
    'partner.example',
    'ftp://partner.example',
    'https:partner.example',
    'https:///partner.example',
    String.raw`https:\\partner.example`,
    'https://',
    'https://user@partner.example',
    'https://user:secret@partner.example',
    'https://@partner.example',
    'https://:@partner.example',
    'https://partner.example/#top',
    'https://partner.example/#',
    ' https://partner.example',
    'https://partner.example/\n',
    'https://part\tner.example',
    'https://partner.example/\0',
    'https://partner.example/\ud800',
    'https://partner.example:99999',
    'https://partner.example:0',
    `${longest}a`,
  ])('may not be %j', (url) => expect(isWebhookUrl(url)).toBe(false));

  it('is plain with http', () => {
    expect(['http://a.example', 'HTTP://a.example', 'https://a.example'].map(isPlainHttp)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
