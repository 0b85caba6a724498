import type { Call } from './connection.js';

export type Headers = Record<string, string>;

export function bearer(secret: string): Headers {
  return { Authorization: `Bearer ${secret}` };
}

export function get(path: string, headers: Headers, status: number): Call {
  return { text: `${head('GET', path, headers)}\r\n`, status };
}

export function post(path: string, headers: Headers, body: object): Call {
  return withBody('POST', path, headers, body, 201);
}

export function patch(path: string, headers: Headers, body: object): Call {
  return withBody('PATCH', path, headers, body, 200);
}

function withBody(method: string, path: string, headers: Headers, body: object, status: number): Call {
  const json = JSON.stringify(body);
  const framing = { 'Content-Type': 'application/json', 'Content-Length': String(json.length) };
  return { text: `${head(method, path, { ...headers, ...framing })}\r\n${json}`, status };
}

function head(method: string, path: string, headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: bench.example\r\n${lines.join('')}`;
}
