export const MAX_URL_CHARACTERS = 2_048;

/** Whether a webhook may have this address: http or https, with nothing that is not sent, and nothing that the URL parser would drop. */
export function isWebhookUrl(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > MAX_URL_CHARACTERS || !text.isWellFormed()) return false;
  if (/[\s\p{Cc}#]/u.test(text) || !/^https?:\/\/[^/\\]/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, port } = new URL(text);
  // No connection goes to port 0.
  return port !== '0' && username === '' && password === '' && !/^[^/?\\]*\/\/[^/?\\]*@/.test(text);
}

/** Whether what is sent there can be read on the way. */
export const isPlainHttp = (url: string) => new URL(url).protocol === 'http:';
