/** The database in a directory cannot be opened, was lost or cannot be closed. */
export class PgliteServerError extends Error {
  override readonly name: string = 'PgliteServerError';

  /** @param reason one line that completes a sentence which begins with the directory's name */
  constructor(
    directory: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${directory} ${reason}`, options);
  }
}

/** Another live process owns the directory. */
export class DirectoryInUseError extends PgliteServerError {
  override readonly name = 'DirectoryInUseError';

  constructor(directory: string) {
    super(directory, 'is in use by another process');
  }
}

/** A client sent something that is not the protocol, that is not supported, or that is over a limit. */
export class ProtocolViolation extends Error {
  constructor(
    readonly sqlState: string,
    message: string,
  ) {
    super(message);
  }
}
