/** The embedded database cannot be opened or has stopped; the message is one line fit for an operator. */
export class EmbeddedDatabaseError extends Error {
  override readonly name: string = 'EmbeddedDatabaseError';
}

/** Another live process owns the data directory. */
export class DataDirInUseError extends EmbeddedDatabaseError {
  override readonly name = 'DataDirInUseError';

  constructor(dataDir: string) {
    super(`DATA_DIR ${dataDir} is in use by another process`);
  }
}
