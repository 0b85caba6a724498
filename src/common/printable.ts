/** Control and format characters, and whatever else ends a line or turns the direction of a text. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** The text with all that a terminal, a log or a page would obey instead of showing it spelled out. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
