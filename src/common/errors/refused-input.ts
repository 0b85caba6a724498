/** What a person asked a command for is wrong; the message is one line for them. */
export class RefusedInputError extends Error {
  override readonly name: string = 'RefusedInputError';
}
