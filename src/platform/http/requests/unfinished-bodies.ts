import { Logger } from '@nestjs/common';

/** What all unfinished bodies together may hold: 500 of the largest. */
const MAX_HELD_BYTES = 32 * 1_024 * 1_024;
/** What Node keeps for a piece of a body beside its bytes. */
const BYTES_OF_PIECE = 256;

const LOG_EVERY_MS = 60_000;

/** A body of which a part has arrived. */
export interface UnfinishedBody {
  /** Ends its reading, so that nothing of it is kept. */
  refuse: () => void;
  /** Belongs to UnfinishedBodies. */
  held?: Held | undefined;
}

/** What is held of a body, and its neighbours in the order in which bodies began. */
interface Held {
  bytes: number;
  older: UnfinishedBody | undefined;
  newer: UnfinishedBody | undefined;
}

/**
 * Bounds the memory that bodies hold from their first piece until they are read. Beyond the bound the oldest are refused: a body that is sent at once is
 * complete before it is the oldest one, so those who send slowly make room for the others.
 *
 * The bodies form a linked list. With a Map of them the garbage collector takes a tenth of the time of a creation (docs/performance.md).
 */
export class UnfinishedBodies {
  private readonly logger = new Logger('Body');
  private heldBytes = 0;
  private loggedAtMs = -Infinity;
  private oldest: UnfinishedBody | undefined;
  private newest: UnfinishedBody | undefined;

  constructor(private readonly maxBytes = MAX_HELD_BYTES) {}

  /** To be called for each piece, which may be the end of this or of other bodies. */
  hold(body: UnfinishedBody, pieceBytes: number): void {
    const bytes = pieceBytes + BYTES_OF_PIECE;
    this.heldBytes += bytes;
    body.held ??= this.append(body);
    body.held.bytes += bytes;
    while (this.oldest && this.heldBytes > this.maxBytes) {
      const { oldest } = this;
      this.logOverflow();
      this.release(oldest);
      oldest.refuse();
    }
  }

  /** To be called once a body is complete, or will not be. */
  release(body: UnfinishedBody): void {
    const { held } = body;
    if (!held) return;
    body.held = undefined;
    this.heldBytes -= held.bytes;
    const { older, newer } = held;
    if (older?.held) older.held.newer = newer;
    else this.oldest = newer;
    if (newer?.held) newer.held.older = older;
    else this.newest = older;
  }

  private append(body: UnfinishedBody): Held {
    const older = this.newest;
    if (older?.held) older.held.newer = body;
    else this.oldest = body;
    this.newest = body;
    return { bytes: 0, older, newer: undefined };
  }

  private logOverflow(): void {
    const nowMs = performance.now();
    if (nowMs - this.loggedAtMs < LOG_EVERY_MS) return;
    this.loggedAtMs = nowMs;
    this.logger.warn('unfinished bodies hold too much memory: the oldest requests get 503');
  }
}
