/** Wrong input to a command. The message is one line for the operator. */
export class RefusedInputError extends Error {
  override readonly name: string = 'RefusedInputError';
}
