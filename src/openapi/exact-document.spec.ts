import { expect, test } from '@jest/globals';
import { stringifyJson } from '../common/json/stringify-json.js';
import { documentAsYaml, withInt64Bounds } from './exact-document.js';

const id = { type: 'integer', format: 'int64' };
const count = { ...id, minimum: 0 };
const document = withInt64Bounds({
  openapi: '3.1.0',
  info: { title: '', version: '' },
  paths: {},
  components: { schemas: { Pet: { properties: { id, count, name: { type: 'string' } } } } },
});

test('an int64 has exact bounds in JSON and in YAML, unless it has narrower ones', async () => {
  expect(stringifyJson(document)).toContain(
    '{"id":{"type":"integer","format":"int64","minimum":-9223372036854775808,"maximum":9223372036854775807},' +
      '"count":{"type":"integer","format":"int64","minimum":0,"maximum":9223372036854775807},"name":{"type":"string"}}',
  );
  expect(await documentAsYaml(document as never)).toMatch(
    /minimum: -9223372036854775808\n +maximum: 9223372036854775807\n[^]*minimum: 0\n +maximum: 9223372036854775807\n/,
  );
});
