/** An argument of a handler whose decorator also documents the operation. */
export const documentedBy =
  (document: MethodDecorator, argument: ParameterDecorator): ParameterDecorator =>
  (prototype, name, index) => {
    argument(prototype, name, index);
    const descriptor = name === undefined ? undefined : Object.getOwnPropertyDescriptor(prototype, name);
    if (name !== undefined && descriptor) document(prototype, name, descriptor);
  };
