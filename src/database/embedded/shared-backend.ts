import type { PGlite } from '@electric-sql/pglite';
import { EmbeddedDatabaseError } from './embedded-database.errors.js';

/** What PGlite offers that the multiplexer needs. */
export type RawBackend = Pick<PGlite, 'execProtocolRawStream' | 'runExclusive'>;

/** Idle, in a transaction, in a failed transaction; undefined while a client has not asked to sync. */
export type TransactionStatus = 'I' | 'T' | 'E' | undefined;

const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);
const READY_BYTES = READY_FOR_QUERY.length + 1;

/** The one session behind all connections, and the queue of those that want it: first come, first served. */
export class SharedBackend {
  /** Whose statement stands in the session's one place for an unnamed one. */
  unnamedOwner: unknown;
  /** How many units have been run; whoever looks after the database sees by it whether it was used. */
  unitsRun = 0;
  private readonly waiting: (() => void)[] = [];
  private taken = false;

  constructor(private readonly database: RawBackend) {}

  /** Resolves when the session is the caller's alone, until `release`. */
  async acquire(): Promise<void> {
    if (this.taken) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.taken = true;
  }

  /** Hands the session to whoever has waited longest. */
  release(): void {
    const next = this.waiting.shift();
    // Still taken while it changes hands, so that no newcomer slips in between.
    if (next) next();
    else this.taken = false;
  }

  /**
   * Runs one unit of frames whole and passes its answer on piece by piece. A unit that ends in a sync or a
   * query must be answered with ReadyForQuery: without it the session is lost, and nobody may use it again.
   */
  async execute(
    unit: Buffer,
    endsInSync: boolean,
    onData: (data: Buffer) => void,
  ): Promise<TransactionStatus> {
    this.unitsRun++;
    let tail = Buffer.alloc(0);
    await this.database.runExclusive(() =>
      this.database.execProtocolRawStream(unit, {
        syncToFs: false,
        onRawData: (data) => {
          // PGlite's piece is a window on its memory, overwritten by the next.
          const copy = Buffer.from(data);
          tail = copy.length >= READY_BYTES ? copy : Buffer.concat([tail, copy]);
          onData(copy);
        },
      }),
    );
    if (!endsInSync) return undefined;
    const last = tail.subarray(-READY_BYTES);
    if (last.length !== READY_BYTES || !last.subarray(0, -1).equals(READY_FOR_QUERY)) {
      throw new EmbeddedDatabaseError('the embedded database stopped answering');
    }
    return String.fromCharCode(last[READY_BYTES - 1] ?? 0) as TransactionStatus;
  }
}
