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
}

/**
 * Bounds the memory that bodies hold from their first piece until they are read. Beyond the bound the oldest are refused: a body that is sent at once is
 * complete before it is the oldest one, so those who send slowly make room for the others.
 */
export class UnfinishedBodies {
  private readonly logger = new Logger('Body');
  private heldBytes = 0;
  private loggedAtMs = -Infinity;
  /** In the order in which they began. */
  private readonly heldBy = new Map<UnfinishedBody, number>();

  constructor(private readonly maxBytes = MAX_HELD_BYTES) {}

  /** To be called for each piece, which may be the end of this or of other bodies. */
  hold(body: UnfinishedBody, pieceBytes: number): void {
    const bytes = pieceBytes + BYTES_OF_PIECE;
    this.heldBytes += bytes;
    this.heldBy.set(body, (this.heldBy.get(body) ?? 0) + bytes);
    for (const oldest of this.heldBy.keys()) {
      if (this.heldBytes <= this.maxBytes) return;
      this.logOverflow();
      this.release(oldest);
      oldest.refuse();
    }
  }

  /** To be called once a body is complete, or will not be. */
  release(body: UnfinishedBody): void {
    this.heldBytes -= this.heldBy.get(body) ?? 0;
    this.heldBy.delete(body);
  }

  private logOverflow(): void {
    const nowMs = performance.now();
    if (nowMs - this.loggedAtMs < LOG_EVERY_MS) return;
    this.loggedAtMs = nowMs;
    this.logger.warn('unfinished bodies hold too much memory: the oldest requests get 503');
  }
}
