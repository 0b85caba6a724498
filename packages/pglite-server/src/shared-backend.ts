import type { PGlite } from '@electric-sql/pglite';

/** The part of PGlite that the clients' frames need. */
export type RawBackend = Pick<PGlite, 'execProtocolRawStream'>;

/** Idle, in a transaction, in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E';

const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);
const READY_BYTES = READY_FOR_QUERY.length + 1;

/** The one session behind all connections, and the queue of its users: first come, first served. */
export class SharedBackend {
  private readonly waiting: (() => void)[] = [];
  private isTaken = false;

  constructor(
    private readonly database: RawBackend,
    readonly serverVersion: string,
  ) {}

  /** Resolves when the caller has the session for itself, until `release`. */
  async acquire(): Promise<void> {
    if (this.isTaken) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.isTaken = true;
  }

  /** Passes the session to the caller of `acquire` that has waited longest. */
  release(): void {
    const next = this.waiting.shift();
    // The session stays taken while it changes hands, so that a new caller cannot overtake the queue.
    if (next) next();
    else this.isTaken = false;
  }

  /**
   * Runs one unit and passes its response on chunk by chunk.
   * @throws Error when the response does not end in ReadyForQuery: then the session is lost and must not be used again
   */
  async execute(unit: Buffer, onData: (data: Buffer) => void = () => undefined): Promise<TransactionStatus> {
    let tail = Buffer.alloc(0);
    await this.database.execProtocolRawStream(unit, {
      syncToFs: false,
      onRawData: (data) => {
        // PGlite's chunk is a view on its memory, which the next chunk overwrites.
        const copy = Buffer.from(data);
        tail = copy.length >= READY_BYTES ? copy : Buffer.concat([tail, copy]);
        onData(copy);
      },
    });
    const last = tail.subarray(-READY_BYTES);
    if (last.length !== READY_BYTES || !last.subarray(0, -1).equals(READY_FOR_QUERY)) {
      throw new Error('PGlite stopped responding');
    }
    return String.fromCharCode(last[READY_BYTES - 1] ?? 0) as TransactionStatus;
  }
}
