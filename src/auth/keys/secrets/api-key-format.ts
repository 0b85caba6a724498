import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * A key is `ask_`, 43 base62 characters (256 random bits) and 6 base62 characters, the CRC-32 of the 43. The prefix lets
 * secret scanners find it; because of the checksum a mistyped key is refused without a database look-up.
 */
const PREFIX = 'ask_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const CHECKSUM_AT = PREFIX.length + SECRET_LENGTH;
const DISPLAY_LENGTH = PREFIX.length + 8;
const SHAPE = /^ask_[0-9A-Za-z]{49}$/;
const DISPLAY_SHAPE = /^ask_[0-9A-Za-z]{8}$/;

/** A new key, 53 characters. It is shown once; only hashApiKey and displayPrefix of it are stored. */
export function generateApiKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  return PREFIX + secret + checksum(secret);
}

/** A new key, and what is stored of it. */
export function newKeySecret(): { key: string; stored: { prefix: string; hash: Buffer } } {
  const key = generateApiKey();
  return { key, stored: { prefix: displayPrefix(key), hash: hashApiKey(key) } };
}

/** Whether the text has the shape and the checksum of a key. It says nothing about whether the key was issued. */
export function isWellFormedApiKey(text: string): boolean {
  return SHAPE.test(text) && text.endsWith(checksum(text.slice(PREFIX.length, CHECKSUM_AT)));
}

/**
 * The key's SHA-256, 32 bytes: what is stored and looked up. A slow password hash would protect nothing here, as 256
 * random bits cannot be guessed.
 */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The same in base64, for look-ups in memory with every request: a third of the cost of a buffer. */
export function hashApiKeyAsText(key: string): string {
  return hash('sha256', key, 'base64');
}

/** The first 12 characters, `ask_` and 8 of the secret: enough to recognise a key, useless without the rest. */
export function displayPrefix(key: string): string {
  return key.slice(0, DISPLAY_LENGTH);
}

/** Whether the text has the shape of what displayPrefix shows. */
export const isDisplayPrefix = (text: string) => DISPLAY_SHAPE.test(text);

function checksum(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

function base62(value: bigint, length: number): string {
  const base = BigInt(ALPHABET.length);
  let digits = '';
  for (let rest = value; rest > 0n; rest /= base) digits = ALPHABET.charAt(Number(rest % base)) + digits;
  return digits.padStart(length, ALPHABET.charAt(0));
}
