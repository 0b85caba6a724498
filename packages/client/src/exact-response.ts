import { UnexpectedAnswerError } from './errors.js';
import { parseJson } from './json.js';

/** The answer when it has come to its end, its JSON read exactly. Rejects where the connection ends before it does. */
export async function readExactly(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-encoding');
  // openapi-fetch leaves out an empty body, and reads one of unknown length with JSON.parse instead of json().
  headers.set('content-length', body.byteLength.toString());
  const read = new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
  return Object.assign(read, { json: () => jsonOf(read) });
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnexpectedAnswerError(response, text);
    throw error;
  }
}
