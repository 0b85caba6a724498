/** Wrong input to a command. The message is one line for the operator. It stands by itself, so that such an answer loads no Nest. */
export class RefusedInputError extends Error {
  override readonly name: string = 'RefusedInputError';
}
