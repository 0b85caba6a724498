import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { withSharedComponents } from './shared-components.js';

const header = (description: string) => ({ description, schema: { type: 'string' } });
const parameter = { name: 'limit', in: 'query', schema: { type: 'integer' } };
const notFound = () => ({ description: 'Not found.', headers: { Link: header('a') } });

function documentOf(...responses: object[]): OpenAPIObject {
  const paths = responses.map((byStatus, index) => [
    `/${String(index)}`,
    { get: { parameters: [parameter], responses: byStatus } },
  ]);
  return { openapi: '3.1.0', info: { title: '', version: '' }, paths: Object.fromEntries(paths) as never };
}

test('a repeated response and a repeated parameter are written once', () => {
  const { components, paths } = withSharedComponents(documentOf({ 404: notFound() }, { 404: notFound() }));
  expect(components).toEqual({
    headers: { Link: header('a') },
    parameters: { limit: parameter },
    examples: {},
    responses: {
      NotFound: { description: 'Not found.', headers: { Link: { $ref: '#/components/headers/Link' } } },
    },
  });
  expect(paths['/1']?.get).toEqual({
    parameters: [{ $ref: '#/components/parameters/limit' }],
    responses: { 404: { $ref: '#/components/responses/NotFound' } },
  });
});

test('two values with one name become two components', () => {
  const { components, paths } = withSharedComponents(
    documentOf(
      { 200: { description: '', headers: { Link: header('a') } } },
      { 201: { description: '', headers: { Link: header('b') } } },
    ),
  );
  expect(components?.headers).toEqual({ Link: header('a'), Link2: header('b') });
  expect(paths['/1']?.get?.responses).toEqual({
    201: { description: '', headers: { Link: { $ref: '#/components/headers/Link2' } } },
  });
});

test('the committed document stays readably small', () => {
  const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as OpenAPIObject;
  const operations = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
  expect(text.length / operations).toBeLessThan(10_000);
  expect(JSON.stringify(document).length / operations).toBeLessThan(6_000);
});
