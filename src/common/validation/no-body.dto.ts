/** The body of an operation that takes none: absent, or an object without any field. */
export class NoBody {}
