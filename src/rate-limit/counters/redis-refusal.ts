/** The rights that the service needs, as `ACL SETUSER` takes them; a cluster needs `+cluster` too. */
const RIGHTS = '~* +@hash +eval +evalsha +del +pexpire +time +info +select';

const REFUSALS: readonly (readonly [said: RegExp, meaning: string])[] = [
  [
    /^NOAUTH\b/,
    'Redis wants a password: give it in REDIS_URL, as in redis://:PASSWORD@HOST, percent-encoded.',
  ],
  [
    /^WRONGPASS\b/,
    'Redis refuses the user or password of REDIS_URL. Special characters must be percent-encoded.',
  ],
  [/AUTH.*without any password configured/, 'REDIS_URL has a password, and Redis has none: leave it out.'],
  [
    /^NOPERM\b|ACL failure in script/,
    `Redis does not give its user the rights that the service needs: ${RIGHTS}.`,
  ],
];

/** What a refusal of Redis means for the operator; undefined for any other error. Repeats nothing that Redis says. */
export function redisRefusal({ message }: Error): string | undefined {
  return REFUSALS.find(([said]) => said.test(message))?.[1];
}
