/**
 * The shape of an API key (`ask_` and 49 letters and digits), whole, cut short or with something stuck to it. Twelve is
 * more than the eight characters of the prefix that is kept for display, which stays readable in logs. One key may
 * follow another directly: the first must not swallow the letters that the second is known by.
 */
const API_KEY = /ask_(?:(?!ask_)[0-9A-Za-z]){12,}/g;

/** The text with every API key in it, or what is left of one, replaced by `ask_…`: for logs, traces and messages. */
export function redactApiKeys(text: string): string {
  return text.replace(API_KEY, 'ask_…');
}
