import { ApiBody } from '@nestjs/swagger';

/** The body of an operation without one: absent, or an empty object. */
export class NoBody {}

/** Documents the body as optional. */
export const ApiNoBody = () => ApiBody({ type: NoBody, required: false });
