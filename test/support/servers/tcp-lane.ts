import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A lane with this many waiting bytes reads no more from its source. */
const FULL_BYTES = 65_536;
/** A throttled lane forwards pieces of this duration, so that a low rate is still even. */
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

/** The delay and rate of a lane. A change affects data that arrives after it. */
export interface Pace {
  delayMs: number;
  bytesPerSecond: number;
}

/** One direction of a connection: forwards data in order from source to sink, as the gate and the pace allow. */
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
    // After the last data has been forwarded.
    source.on('end', () => this.afterLastData(() => sink.end()));
    source.on('close', () => this.afterLastData(() => sink.destroySoon()));
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

  /** Resolves when the sink drains or closes. events.once() would reject if the sink fails. */
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

  private afterLastData(then: () => void): void {
    this.tail = this.tail.then(() => this.gate.passed()).then(then);
  }
}
