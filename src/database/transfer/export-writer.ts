import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { cannotWrite } from './transfer.errors.js';

// It tells who calls and what they call with, if hashed: for its owner alone.
const OWNER_ONLY = 0o600;

/** A file that is being written, line by line, and the checksum of what it holds so far. */
export class ExportWriter {
  private readonly hash = createHash('sha256');

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** Never writes over a file: it may be the only other copy. */
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

  /** Of everything written so far. */
  get sha256(): string {
    return this.hash.copy().digest('hex');
  }

  /** Resolves when the file is on the disk, and not only with the operating system. */
  async finish(): Promise<void> {
    await this.file.sync();
    await this.file.close();
  }

  /** Removes what was written: it is no export. */
  async abandon(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }
}
