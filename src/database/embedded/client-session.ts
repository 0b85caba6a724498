import type { Socket } from 'node:net';
import { fatalError, greeting, negotiateVersion } from './backend-messages.js';
import { CopyRefusal } from './copy-refusal.js';
import { cstring, encodeFrame, type Frame, ProtocolViolation } from './frames.js';
import type { SharedBackend, TransactionStatus } from './shared-backend.js';
import { StartupReader } from './startup.js';
import { expectUnnamedStatement, replaceUnnamedStatement, StatementNames } from './statement-names.js';
import { type Unit, UnitReader } from './unit-reader.js';

/** Bounds on what one client may hold or send. */
export interface SessionLimits {
  /** A client idle for longer in an open transaction, which keeps all others waiting, is dropped. */
  idleInTransactionMs: number;
  /** The most that is held of what a client sent before it is run. */
  maxRequestBytes: number;
  /** The most that is held of an answer, which arrives whole. */
  maxResponseBytes: number;
}

/** What a session needs from the multiplexer; `backend` resolves when the database is open. */
export interface SessionHost {
  readonly backend: Promise<SharedBackend>;
  readonly serverVersion: string;
  readonly limits: SessionLimits;
  /** The shared session is lost. */
  broken(error: unknown): void;
}

const SYNC = encodeFrame('S');
const ROLLBACK = encodeFrame('Q', cstring('ROLLBACK'));
const RESET_ALL = encodeFrame('Q', cstring('RESET ALL'));

/** One client's connection: reads units of frames, runs each whole, and holds the backend while in a transaction. */
export class ClientSession {
  private backend: SharedBackend | undefined;
  private readonly startup = new StartupReader();
  private readonly units: UnitReader;
  private readonly names: StatementNames;
  private readonly copies = new CopyRefusal();
  private status: TransactionStatus = 'I';
  private holding = false;
  private everRan = false;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly id: number,
    private readonly socket: Socket,
    private readonly host: SessionHost,
  ) {
    this.units = new UnitReader(host.limits.maxRequestBytes);
    this.names = new StatementNames(id);
    // A client may vanish at any moment; the read loop's end is where that is dealt with.
    socket.on('error', () => undefined);
  }

  /** Serves the client until it goes away or must be dropped; leaves nothing of it behind in the session. */
  async run(): Promise<void> {
    try {
      for await (const chunk of this.socket) {
        if (!(await this.receive(chunk as Buffer))) break;
      }
    } catch {
      // The connection broke; what it left open is undone below.
    }
    clearTimeout(this.idleTimer);
    this.socket.destroy();
    await this.leave().catch((error: unknown) => this.host.broken(error));
  }

  /** Closes the connection, with a last word for the client. */
  drop(sqlState: string, message: string): void {
    this.socket.write(fatalError(sqlState, message));
    this.socket.destroy();
  }

  private async receive(chunk: Buffer): Promise<boolean> {
    try {
      if (this.backend) return await this.receiveUnits(this.backend, chunk);
      return await this.receiveStartup(chunk);
    } catch (error) {
      if (error instanceof ProtocolViolation) this.drop(error.sqlState, error.message);
      else this.host.broken(error);
      return false;
    }
  }

  private async receiveStartup(chunk: Buffer): Promise<boolean> {
    for (let rest = chunk; ; rest = Buffer.alloc(0)) {
      const request = this.startup.push(rest);
      if (!request) return true;
      if (request.kind === 'cancel') return false;
      if (request.kind === 'encryption') {
        this.socket.write('N');
        continue;
      }
      const backend = await this.host.backend;
      if (request.minorVersion > 0 || request.unknownOptions.length > 0) {
        this.socket.write(negotiateVersion(request.unknownOptions));
      }
      this.socket.write(greeting(this.id, 0, this.host.serverVersion));
      this.backend = backend;
      return await this.receiveUnits(backend, this.startup.takeRest());
    }
  }

  private async receiveUnits(backend: SharedBackend, chunk: Buffer): Promise<boolean> {
    for (const unit of this.units.push(chunk)) {
      if (!unit) return false;
      await this.runUnit(backend, unit);
      if (this.socket.destroyed) return false;
    }
    return true;
  }

  private async runUnit(backend: SharedBackend, { frames, endsInSync }: Unit): Promise<void> {
    await this.hold(backend);
    await this.restoreUnnamed(backend, frames);
    const bytes = Buffer.concat(
      frames.flatMap((frame) => [this.names.rewrite(frame), ...this.copies.behind(frame)]),
    );
    const { answer, bytes: answered } = await this.answerOf(backend, bytes, endsInSync);
    if (this.status === 'I') this.letGo(backend);
    else this.watchIdleness();
    if (answered > this.host.limits.maxResponseBytes) {
      throw new ProtocolViolation('54000', `an answer of ${answered} bytes is over the limit`);
    }
    this.socket.cork();
    for (const data of answer) this.socket.write(data);
    this.socket.uncork();
    await this.drained();
  }

  /** Held back until it is whole: of one that is too large, no half must go out. */
  private async answerOf(
    backend: SharedBackend,
    unit: Buffer,
    endsInSync: boolean,
  ): Promise<{ answer: Buffer[]; bytes: number }> {
    let answer: Buffer[] = [];
    let bytes = 0;
    this.status = await backend.execute(unit, endsInSync, (data) => {
      bytes += data.length;
      if (bytes > this.host.limits.maxResponseBytes) answer = [];
      else answer.push(data);
    });
    return { answer, bytes };
  }

  private async restoreUnnamed(backend: SharedBackend, frames: readonly Frame[]): Promise<void> {
    const { unnamed } = this.names;
    if (unnamed && backend.unnamedOwner !== this && expectUnnamedStatement(frames)) {
      backend.unnamedOwner = this;
      await backend.execute(Buffer.concat([unnamed, SYNC]), true, () => undefined);
    }
    if (replaceUnnamedStatement(frames)) backend.unnamedOwner = this;
  }

  private async hold(backend: SharedBackend): Promise<void> {
    clearTimeout(this.idleTimer);
    if (this.holding) return;
    await backend.acquire();
    this.holding = true;
    this.everRan = true;
  }

  private letGo(backend: SharedBackend): void {
    this.holding = false;
    backend.release();
  }

  private watchIdleness(): void {
    const { idleInTransactionMs } = this.host.limits;
    this.idleTimer = setTimeout(() => {
      this.drop(
        '25P03',
        `idle in a transaction for over ${idleInTransactionMs} ms, which keeps everyone else waiting`,
      );
    }, idleInTransactionMs);
  }

  private async drained(): Promise<void> {
    if (!this.socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.socket.off('drain', go).off('close', go);
        resolve();
      };
      this.socket.once('drain', go).once('close', go);
    });
  }

  private async leave(): Promise<void> {
    const { backend } = this;
    if (!backend || !this.everRan) return;
    await this.hold(backend);
    const run = (unit: Buffer) => backend.execute(unit, true, () => undefined);
    this.status ??= await run(SYNC);
    if (this.status !== 'I') await run(ROLLBACK);
    // What a client SET would otherwise stay with everyone for good.
    await run(Buffer.concat([...this.names.closeAll(), RESET_ALL]));
    backend.unnamedOwner = undefined;
    this.letGo(backend);
  }
}
