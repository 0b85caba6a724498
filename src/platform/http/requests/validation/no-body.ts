import { ApiBody } from '@nestjs/swagger';

/** The body of an operation without one: absent, or an empty object. A DTO that extends it may be absent too. */
export class NoBody {}

/** Documents the body as optional. */
export const ApiNoBody = () => ApiBody({ type: NoBody, required: false });
