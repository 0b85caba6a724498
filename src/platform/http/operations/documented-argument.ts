import { setImmediate } from 'node:timers/promises';

/**
 * A pipe that reads an argument, and reports what is wrong with it after what is wrong with the others: Nest runs the pipes of all arguments
 * side by side and answers with the first error, but a bad query or body comes before a 404.
 */
export const lastPipe = <Raw, Value>(read: (raw: Raw) => Value) => ({
  transform(raw: Raw): Value | Promise<Value> {
    try {
      return read(raw);
    } catch (error) {
      return setImmediate().then(() => {
        throw error;
      });
    }
  },
});

/** An argument of a handler whose decorator also documents the operation. */
export const documentedBy =
  (document: MethodDecorator, argument: ParameterDecorator): ParameterDecorator =>
  (prototype, name, index) => {
    argument(prototype, name, index);
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(prototype, name);
    if (name !== undefined && descriptor) document(prototype, name, descriptor);
  };
