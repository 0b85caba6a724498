import type { OpenAPIObject } from '@nestjs/swagger';
import { declaredErrors, type ErrorKind } from '../platform/common/errors/error-kind.js';

type ErrorsOfStatus = ReadonlyMap<number, readonly ErrorKind[]>;

interface Response {
  $ref?: string;
  content?: Record<string, { examples?: Record<string, unknown>; example?: { code?: string } }>;
}

/** The errors that the document shows for each operation, by status, in its order. */
export function documentedErrors(document: OpenAPIObject): ReadonlyMap<string, ErrorsOfStatus> {
  const kinds = new Map(declaredErrors().map((kind) => [kind.code, kind]));
  const components = (document.components?.responses ?? {}) as Record<string, Response>;
  const errorsIn = ({ $ref, content }: Response): ErrorKind[] => {
    const shared = $ref && components[$ref.slice($ref.lastIndexOf('/') + 1)];
    if (shared) return errorsIn(shared);
    const { examples = {}, example } = content?.['application/json'] ?? {};
    return [...Object.keys(examples), example?.code ?? '']
      .map((code) => kinds.get(code))
      .filter((kind) => kind !== undefined);
  };
  const operations = Object.values(document.paths).flatMap((item) =>
    Object.values(item as Record<string, unknown>),
  ) as {
    operationId: string;
    responses: Record<string, Response>;
  }[];
  return new Map(
    operations.map(({ operationId, responses }) => [
      operationId,
      new Map(
        Object.entries(responses)
          .map(([status, response]): [number, ErrorKind[]] => [Number(status), errorsIn(response)])
          .filter(([status, errors]) => status >= 400 && errors.length > 0),
      ),
    ]),
  );
}
