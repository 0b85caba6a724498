import type { OpenAPIObject } from '@nestjs/swagger';
import { declaredErrors, type ErrorKind } from '../platform/common/errors/error-kind.js';

type ErrorsOfStatus = ReadonlyMap<number, readonly ErrorKind[]>;

interface Example {
  $ref?: string;
  value?: { message: string };
}
interface Response {
  $ref?: string;
  content?: Record<string, { examples?: Record<string, Example> }>;
}
interface Components {
  responses?: Record<string, Response>;
  examples?: Record<string, Example>;
}

/** The errors that the document shows for each operation, by status, in its order. */
export function documentedErrors(document: OpenAPIObject): ReadonlyMap<string, ErrorsOfStatus> {
  const kinds = new Map(declaredErrors().map((kind) => [kind.code, kind]));
  const { responses = {}, examples = {} } = (document.components ?? {}) as Components;
  const resolved = <Part extends { $ref?: string }>(part: Part, shared: Record<string, Part>): Part =>
    shared[part.$ref?.split('/').at(-1) ?? ''] ?? part;
  /** An operation may have a message of its own, such as one that names its states. */
  const kindOf = ([code, example]: [string, Example]): ErrorKind | undefined => {
    const kind = kinds.get(code);
    const message = resolved(example, examples).value?.message;
    return kind && message !== undefined && message !== kind.example ? { ...kind, example: message } : kind;
  };
  const errorsIn = (response: Response): ErrorKind[] =>
    Object.entries(resolved(response, responses).content?.['application/json']?.examples ?? {})
      .map(kindOf)
      .filter((kind) => kind !== undefined);
  const operations = Object.values(document.paths).flatMap((item) =>
    Object.values(item as Record<string, unknown>),
  ) as {
    operationId: string;
    responses: Record<string, Response>;
  }[];
  return new Map(
    operations.map(({ operationId, responses: own }) => [
      operationId,
      new Map(
        Object.entries(own)
          .map(([status, response]): [number, ErrorKind[]] => [Number(status), errorsIn(response)])
          .filter(([status, errors]) => status >= 400 && errors.length > 0),
      ),
    ]),
  );
}
