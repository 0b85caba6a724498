import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { DescribedOperation, type OperationTraits } from '../platform/http/operations/operation.decorator.js';
import type { Access } from './access.js';
import { AUTH_ERRORS } from './auth.errors.js';

/** What a key must have for an operation, as RequireApiKeyGuard checks it. */
export interface RequiredAccess {
  /** This access or a higher one. */
  access: Access;
  /** The path parameter that may name the caller itself, with `me` or its id: then any access is enough. */
  selfParam?: string;
  /** A key that calls the operation for itself does so with its newest secret. */
  isForNewestSecret?: true;
}

declare module '../platform/http/operations/operation.decorator.js' {
  interface RouteSettings {
    /** Absent: any valid key may call the route. */
    required?: RequiredAccess;
  }
}

/** Decorates a handler that returns a `Result`. */
type HandlerOf<Result> = (
  prototype: object,
  name: string | symbol,
  descriptor: { value?: (...values: never[]) => Result | Promise<Result> },
) => void;

type Traits = OperationTraits & RequiredAccess;

/** Declares an operation of the API: its entry in the document, who may call it, and the headers that follow from its traits. */
export function Operation<Result>(
  traits: Traits & { creates: (created: Result) => string },
): HandlerOf<Result>;
export function Operation(traits: Traits & { creates?: never }): MethodDecorator;
export function Operation({ access, selfParam, isForNewestSecret, ...traits }: Traits): MethodDecorator {
  const required = {
    access,
    ...(selfParam !== undefined && { selfParam }),
    ...(isForNewestSecret && { isForNewestSecret }),
  };
  const note = `Takes \`${access}\` access.`;
  const selfNote = selfParam === undefined ? '' : ' With `me` every key calls it for itself.';
  // Every key may read.
  const errors = access === 'read' ? traits.errors : [AUTH_ERRORS.insufficient_access, ...traits.errors];
  return applyDecorators(
    DescribedOperation(
      { ...traits, description: `${traits.description}\n\n${note}${selfNote}`, errors },
      { required },
    ),
    ApiExtension('x-required-access', access),
    ...(selfParam === undefined ? [] : [ApiExtension('x-every-key-for-itself', true)]),
  );
}
