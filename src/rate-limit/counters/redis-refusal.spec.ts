import { describe, expect, it } from '@jest/globals';
import { redisRefusal } from './redis-refusal.js';

describe('redisRefusal', () => {
  it.each([
    ['NOAUTH Authentication required.', 'wants a password'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'refuses the user or password'],
    [
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
      'Redis has none',
    ],
    ["NOPERM this user has no permissions to run the 'eval' command", '+eval'],
    ["NOPERM User store has no permissions to run the 'evalsha' command", '+evalsha'],
    ['ERR ACL failure in script: User store has no permissions to run the pexpire command', '+pexpire'],
  ])('puts into words: %s', (message, words) => {
    expect(redisRefusal(new Error(message))).toContain(words);
  });

  it.each(['READONLY You can not write against a read only replica.', 'connect ECONNREFUSED', 'NOSCRIPT'])(
    'leaves out %s',
    (message) => {
      expect(redisRefusal(new Error(message))).toBeUndefined();
    },
  );
});
