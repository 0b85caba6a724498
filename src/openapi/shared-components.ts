import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';

type Node = Record<string, unknown>;
type Section = 'headers' | 'parameters' | 'examples' | 'responses';
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/**
 * The same document with its headers, error examples, repeated parameters and repeated responses as shared components. Nest
 * writes each of them out at every place, which makes the document five times as long.
 */
export function withSharedComponents(document: OpenAPIObject): OpenAPIObject {
  const shared = new SharedComponents();
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
  for (const operation of operations) {
    for (const response of Object.values<unknown>(operation.responses)) {
      const { content = {} } = response as { content?: Record<string, Node> };
      shared.replaceMembers(response as Node, 'headers', 'headers');
      for (const mediaType of Object.values(content))
        shared.replaceMembers(mediaType, 'examples', 'examples');
    }
  }
  shareRepeated(shared, operations);
  return {
    ...document,
    components: { ...document.components, ...shared.sections } as OpenAPIObject['components'],
  };
}

/** Replaces the parameters and responses that occur more than once; a component for a single use only adds a step. */
function shareRepeated(shared: SharedComponents, operations: Operation[]): void {
  const uses = new Map<string, number>();
  const count = (value: unknown) => {
    const text = JSON.stringify(value);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  };
  const isRepeated = (value: unknown) => (uses.get(JSON.stringify(value)) ?? 0) > 1;
  for (const { parameters = [], responses } of operations) {
    parameters.forEach(count);
    Object.values(responses).forEach(count);
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((parameter) =>
      'name' in parameter && isRepeated(parameter)
        ? shared.reference('parameters', parameter.name, parameter)
        : parameter,
    );
    for (const [status, response] of Object.entries(operation.responses)) {
      if (!isRepeated(response)) continue;
      const name = (STATUS_CODES[status] ?? status).replace(/\W/g, '');
      operation.responses[status] = shared.reference('responses', name, response);
    }
  }
}

/** Named components, each value once. A second value with the same name gets the next free number. */
class SharedComponents {
  readonly sections: Record<Section, Node> = { headers: {}, parameters: {}, examples: {}, responses: {} };
  private readonly names = new Map<string, string>();

  reference(section: Section, name: string, value: unknown): { $ref: string } {
    const identity = `${section} ${name} ${JSON.stringify(value)}`;
    let found = this.names.get(identity);
    if (found === undefined) {
      found = name;
      for (let number = 2; found in this.sections[section]; number++) found = `${name}${String(number)}`;
      this.sections[section][found] = value;
      this.names.set(identity, found);
    }
    return { $ref: `#/components/${section}/${found}` };
  }

  /** Replaces each member of `owner[field]`, a map by name, by a reference. */
  replaceMembers(owner: Node, field: string, section: Section): void {
    const members = Object.entries((owner[field] ?? {}) as Node);
    if (members.length === 0) return;
    owner[field] = Object.fromEntries(
      members.map(([name, value]) => [name, this.reference(section, name, value)]),
    );
  }
}
