import { beforeAll, describe, expect, it } from '@jest/globals';
import { call } from '../support/http/client.js';
import { anyKind } from '../support/databases.js';
import { document } from '../support/http/document.js';
import { sharedService } from '../support/service.js';

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: `/v1${path.replaceAll(/\{\w+\}/g, '999999999999')}`,
    ...operation,
  })),
);

/** A generated client does exactly what the document says, so the service has to accept that. */
describe('a request built from the document', () => {
  const service = sharedService(anyKind);
  let key: string;

  beforeAll(async () => {
    key = await service.issueKey();
  });

  const lists = operations.flatMap(({ parameters, ...operation }) =>
    parameters
      .filter((parameter) => parameter.in === 'query' && parameter.schema.type === 'array')
      .map((parameter) => ({ ...operation, ...parameter })),
  );

  it.each(lists)('$operationId accepts $name as a list', async ({ path, name, explode }) => {
    // OpenAPI's own default for a query is one parameter for every item.
    const query = explode === false ? `${name}=1,2` : `${name}=1&${name}=2`;
    expect((await call(service.url, { path: `${path}?${query}`, key })).status).toBe(200);
  });

  it.each(operations.filter(({ requestBody }) => requestBody))(
    '$operationId requires a body exactly if the document says so',
    async ({ method, path, requestBody }) => {
      const { body } = await call(service.url, { method, path, key });
      const isRefused = (body as unknown as { code?: string }).code === 'invalid_body';
      expect(isRefused).toBe(requestBody!.required);
    },
  );
});
