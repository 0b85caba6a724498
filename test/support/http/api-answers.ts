import { creation, type Call } from './client.js';

/** Every kind of response under /v1 to well-formed HTTP, with its status for a valid key. */
export const API_ANSWERS: [what: string, status: number, call: Call][] = [
  ['a list', 200, { path: '/v1/pets' }],
  ['HEAD', 200, { method: 'HEAD', path: '/v1/pets' }],
  ['an animal added', 201, creation({ name: 'Rex', categoryId: 1 })],
  ['a matching ETag', 304, { path: '/v1/pets', headers: { 'if-none-match': '*' } }],
  ['broken JSON', 400, creation('{')],
  ['an unknown parameter', 400, { path: '/v1/pets?stauts=sold' }],
  ['a foreign cursor', 400, { path: '/v1/pets?cursor=abc' }],
  ['an unknown animal', 404, { path: '/v1/pets/999999' }],
  ['an unknown path', 404, { path: '/v1/nowhere' }],
  ['a wrong method', 405, { method: 'PUT', path: '/v1/pets', body: {} }],
  ['OPTIONS', 405, { method: 'OPTIONS', path: '/v1/pets' }],
  ['a large body', 413, creation(' '.repeat(70_000))],
  ['another media type', 415, creation('x', { 'content-type': 'text/plain' })],
];
