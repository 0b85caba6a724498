import { ApiBody } from '@nestjs/swagger';

/** The body of an operation that takes none: absent, or an object without any field. */
export class NoBody {}

/** Says so in the document, where a body would be required otherwise. */
export const ApiNoBody = () => ApiBody({ type: NoBody, required: false });
