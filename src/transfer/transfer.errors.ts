import { RefusedInputError } from '../common/errors/refused-input.js';

/** Why a file cannot be opened, without the name of the system call. */
function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'there is no such file or folder',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    EEXIST: 'it exists already',
    EROFS: 'the file system is read-only',
  };
  return known[code ?? ''] ?? code ?? String(error);
}

export const cannotWrite = (path: string, cause: unknown) =>
  new RefusedInputError(`Cannot write ${path}: ${reasonOf(cause)}`, { cause });

export const cannotRead = (path: string, cause: unknown) =>
  new RefusedInputError(`Cannot read ${path}: ${reasonOf(cause)}`, { cause });

export const notAFile = (path: string) =>
  new RefusedInputError(`Cannot read ${path}: it is not a regular file, and an import reads its file twice`);

export const notAnExport = (path: string) =>
  new RefusedInputError(`${path} is not an export of an animal store: its first line is not a header`);

export const unknownFormat = (path: string) =>
  new RefusedInputError(
    `${path} is an export in a newer format than this release knows; import it with a newer one`,
  );

export const truncated = (path: string) =>
  new RefusedInputError(`${path} is truncated: its last line, with counts and checksum, is missing`);

export const altered = (path: string, what: string) => new RefusedInputError(`${path} was altered: ${what}`);

export const newerSchema = (what: string, migration: string) =>
  new RefusedInputError(
    `${what} has a newer schema (${migration}) than this release knows; use a newer release`,
  );

export const otherTables = (path: string, what: string) =>
  new RefusedInputError(`${path} does not fit the schema of its migration: ${what}`);

export const notEmpty = (table: string) =>
  new RefusedInputError(
    `The database is not empty (${table} has rows): import into a new one, before the service's first start`,
  );

export const rowsRefused = (path: string, table: string, cause: Error) =>
  new RefusedInputError(`${path} has rows that ${table} does not accept: ${cause.message}`, { cause });

export const invalidRow = (path: string, line: number, what: string) =>
  new RefusedInputError(`${path} cannot be imported: line ${line}: ${what}`);
