/* Calls of the service with the admin key, which lives in this variable only. */

/** @type {{ key: string } | null} */
let session = null;

/** Thrown to a caller whose session ended before the response came. */
export class Forgotten extends Error {}

export function startSession(key) {
  session = { key };
}

export function endSession() {
  session = null;
}

/** Goes on with a new secret of the same key, after a rotation. */
export function replaceKey(key) {
  if (session !== null) session.key = key;
}

/**
 * Sends one request.
 *
 * @returns the body, undefined for a 204, with its entity tag and the cursor of the next page
 * @throws Error with a message for the user of the page, and `status` where the service answered; Forgotten
 */
export async function call(method, path, { body, ifMatch } = {}) {
  const used = session;
  if (used === null) throw new Forgotten();
  const headers = { Authorization: `Bearer ${used.key}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (ifMatch) headers['If-Match'] = ifMatch;
  let response;
  let text;
  try {
    const content = body === undefined ? null : JSON.stringify(body);
    response = await fetch(`v1${path}`, { method, headers, body: content, cache: 'no-store' });
    text = await response.text();
  } catch {
    if (session !== used) throw new Forgotten();
    throw new Error('The server cannot be reached.');
  }
  if (session !== used) throw new Forgotten();
  const answer = parsed(text);
  if (!response.ok) {
    // A proxy in front may answer with a page of its own.
    const message = answer?.message ?? `The server answered ${response.status}.`;
    throw Object.assign(new Error(message), { status: response.status });
  }
  return {
    body: answer,
    etag: response.headers.get('ETag'),
    nextCursor: response.headers.get('X-Next-Cursor') ?? undefined,
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
