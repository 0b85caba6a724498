import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { cannotWrite } from './transfer.errors.js';

// The file holds names and hashes of keys, so only its owner may read it.
const OWNER_ONLY = 0o600;

/** Writes an export line by line and keeps its checksum. */
export class ExportWriter {
  private readonly hash = createHash('sha256');

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** Never overwrites a file, which may be the only other copy. @throws RefusedInputError when it cannot create one. */
  static async create(path: string): Promise<ExportWriter> {
    try {
      return new ExportWriter(path, await open(path, 'wx', OWNER_ONLY));
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  async write(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    this.hash.update(bytes);
    await this.file.writeFile(bytes);
  }

  /** The checksum of everything written so far. */
  get sha256(): string {
    return this.hash.copy().digest('hex');
  }

  /** Resolves once the file is on the disk (fsync). */
  async finish(): Promise<void> {
    await this.file.sync();
    await this.file.close();
  }

  /** Removes the incomplete file. */
  async abandon(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }
}
