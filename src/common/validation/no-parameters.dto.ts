/** The query of an operation that takes none: any parameter is refused by name. */
export class NoParameters {}
