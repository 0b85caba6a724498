import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How much may wait in a lane before it reads no more from its source. */
const FULL_BYTES = 65_536;
/** A throttled lane passes pieces of this long, so that few bytes a second still flow evenly. */
const PIECE_MS = 50;

/** Opens and shuts one direction of every connection at once. */
export class Gate {
  private opened: Promise<void> | undefined;
  private resolve: () => void = () => undefined;

  shut(): void {
    this.opened ??= new Promise((resolve) => (this.resolve = resolve));
  }

  open(): void {
    this.resolve();
    this.opened = undefined;
  }

  /** Resolves when the gate is open. */
  async passed(): Promise<void> {
    while (this.opened) await this.opened;
  }
}

/** How slow a lane is; changes are felt by what arrives after them. */
export interface Pace {
  delayMs: number;
  bytesPerSecond: number;
}

/** One direction of a connection: what its source says reaches its sink, in order, when the gate and the pace allow. */
export class Lane {
  private waitingBytes = 0;
  private tail: Promise<void> = Promise.resolve();

  constructor(
    private readonly source: Socket,
    private readonly sink: Socket,
    private readonly gate: Gate,
    private readonly pace: Readonly<Pace>,
  ) {
    source.on('data', (bytes) => this.take(bytes));
    // Not before what was said last has been passed on.
    source.on('close', () => {
      this.tail = this.tail.then(() => this.end());
    });
  }

  private take(bytes: Buffer): void {
    const dueMs = performance.now() + this.pace.delayMs;
    this.waitingBytes += bytes.length;
    if (this.waitingBytes >= FULL_BYTES) this.source.pause();
    this.tail = this.tail.then(() => this.pass(bytes, dueMs));
  }

  private async pass(bytes: Buffer, dueMs: number): Promise<void> {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    for (let at = 0; at < bytes.length;) {
      await this.gate.passed();
      if (this.sink.destroyed) return;
      const { bytesPerSecond } = this.pace;
      const pieceBytes = Math.max(1, Math.floor((bytesPerSecond * PIECE_MS) / 1_000));
      const piece = bytes.subarray(at, at + pieceBytes);
      at += piece.length;
      if (!this.sink.write(piece)) await this.drained();
      if (Number.isFinite(bytesPerSecond)) await pause((piece.length / bytesPerSecond) * 1_000);
    }
    this.waitingBytes -= bytes.length;
    if (this.waitingBytes < FULL_BYTES) this.source.resume();
  }

  /** Not events.once(): it rejects where the sink fails, which is as good an end of waiting as any. */
  private drained(): Promise<void> {
    const { sink } = this;
    if (sink.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = () => {
        sink.off('drain', settle).off('close', settle);
        resolve();
      };
      sink.on('drain', settle).on('close', settle);
    });
  }

  private async end(): Promise<void> {
    await this.gate.passed();
    this.sink.destroySoon();
  }
}
