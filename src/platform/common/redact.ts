/**
 * Matches an API key (`ask_` and 49 letters and digits), also when it is cut short or followed by other letters. Twelve
 * characters are more than the eight of the display prefix, which stays readable in logs. The lookahead separates two
 * keys that follow each other directly.
 */
const API_KEY = /ask_(?:(?!ask_)[0-9A-Za-z]){12,}/g;

/** Matches a secret of a webhook in the same way: the rest is base64. */
const WEBHOOK_SECRET = /whsec_[0-9A-Za-z+/]{12,}=*/g;

/** Replaces every API key or secret of a webhook, or part of one, by `ask_…` or `whsec_…`: for logs, traces and messages. */
export function redactApiKeys(text: string): string {
  const redacted = text.replace(API_KEY, 'ask_…');
  return redacted.includes('whsec_') ? redacted.replace(WEBHOOK_SECRET, 'whsec_…') : redacted;
}
