import fc from 'fast-check';

/** Any Unicode character. fast-check's own `unit: 'binary'` takes over a second to set up. */
export const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code).toWellFormed());
