import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';

type Members = Record<string, unknown>;
type Section = 'headers' | 'parameters' | 'examples' | 'responses';
type DocumentedOperation = NonNullable<OpenAPIObject['paths'][string]['get']>;
interface Response {
  headers?: Members;
  content?: Record<string, { examples?: Members }>;
}

/**
 * Makes the headers, error examples, repeated parameters and repeated responses of a document shared components. Nest writes each
 * of them out at every place, which makes the document five times as long.
 */
export function shareComponents(document: OpenAPIObject): void {
  const sections: Record<Section, Members> = { headers: {}, parameters: {}, examples: {}, responses: {} };
  /** A second value with the same name gets the next free number. */
  const share = (section: Section, name: string, value: unknown) => {
    const members = sections[section];
    let found = name;
    for (let number = 2; found in members && !isDeepStrictEqual(members[found], value); number++)
      found = `${name}${String(number)}`;
    members[found] = value;
    return { $ref: `#/components/${section}/${found}` };
  };
  const shareAll = (section: Section, members: Members = {}) => {
    for (const [name, value] of Object.entries(members)) members[name] = share(section, name, value);
  };
  const operations = Object.values(document.paths).flatMap(
    (item) => Object.values(item) as DocumentedOperation[],
  );
  for (const response of operations.flatMap(({ responses }) =>
    Object.values(responses as Record<string, Response>),
  )) {
    shareAll('headers', response.headers);
    for (const { examples } of Object.values(response.content ?? {})) shareAll('examples', examples);
  }
  const all = operations.flatMap(({ parameters = [], responses }) => [
    ...parameters,
    ...Object.values(responses),
  ]);
  const texts = all.map((value) => JSON.stringify(value));
  // A component for a single use only adds a step.
  const isRepeated = (value: unknown) => {
    const text = JSON.stringify(value);
    return texts.indexOf(text) !== texts.lastIndexOf(text);
  };
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((parameter) =>
      'name' in parameter && isRepeated(parameter)
        ? share('parameters', parameter.name, parameter)
        : parameter,
    );
    for (const [status, response] of Object.entries(operation.responses))
      if (isRepeated(response))
        operation.responses[status] = share(
          'responses',
          (STATUS_CODES[status] ?? status).replace(/\W/g, ''),
          response,
        );
  }
  Object.assign(document.components ?? {}, sections);
}
