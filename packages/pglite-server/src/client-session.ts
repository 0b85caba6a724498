import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ProtocolViolation } from './errors.js';
import { cstring, encodeFrame } from './protocol/frames.js';
import type { SharedBackend, TransactionStatus } from './shared-backend.js';
import { fatalError, greeting, startupRequest } from './protocol/startup.js';
import { ConnectionStatements } from './protocol/statements.js';
import { type Unit, UnitReader } from './protocol/units.js';

/** Bounds on what one client may hold or send. */
export interface SessionLimits {
  /** A client that is idle for longer in an open transaction, which blocks all others, is dropped. */
  idleInTransactionMs: number;
  /** The most bytes of requests that are held before they run. */
  maxRequestBytes: number;
  /** The most bytes of one response, which is held until it is complete. */
  maxResponseBytes: number;
}

/** What a session needs from the multiplexer. */
export interface SessionHost {
  /** Resolves when the database is open. */
  readonly backend: Promise<SharedBackend>;
  readonly limits: SessionLimits;
  /** The shared session is lost. */
  onBroken(error: unknown): void;
}

const ROLLBACK = encodeFrame('Q', cstring('ROLLBACK'));
const RESET_ALL = encodeFrame('Q', cstring('RESET ALL'));

/** One client's connection: reads units of frames, runs each, and keeps the backend during a transaction. */
export class ClientSession {
  private backend: SharedBackend | undefined;
  private readonly units: UnitReader;
  private readonly statements: ConnectionStatements;
  private status: TransactionStatus = 'I';
  private hasBackend = false;
  private hasRun = false;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly id: number,
    private readonly socket: Socket,
    private readonly host: SessionHost,
  ) {
    this.units = new UnitReader(host.limits.maxRequestBytes);
    this.statements = new ConnectionStatements(id);
    // The read loop in `run` handles a connection that breaks.
    socket.on('error', () => undefined);
  }

  /** Serves the client until it leaves or is dropped, then removes its state from the shared session. */
  async run(): Promise<void> {
    try {
      for await (const chunk of this.socket) {
        if (!(await this.receive(chunk as Buffer))) break;
      }
    } catch {
      // The connection broke; `leave` undoes what it left open.
    }
    clearTimeout(this.idleTimer);
    this.socket.destroy();
    await this.leave().catch((error: unknown) => this.host.onBroken(error));
  }

  /** Sends an error to the client and closes the connection. */
  drop(sqlState: string, message: string): void {
    this.socket.write(fatalError(sqlState, message));
    this.socket.destroy();
  }

  /** Returns whether the connection stays open. */
  private async receive(chunk: Buffer): Promise<boolean> {
    try {
      for (const unit of this.units.push(chunk)) {
        const isOpen = this.backend ? await this.receiveUnit(this.backend, unit) : await this.start(unit);
        if (!isOpen) return false;
      }
      return true;
    } catch (error) {
      if (error instanceof ProtocolViolation) this.drop(error.sqlState, error.message);
      else this.host.onBroken(error);
      return false;
    }
  }

  private async start(unit: Unit | undefined): Promise<boolean> {
    const request = unit?.[0] && startupRequest(unit[0].body);
    if (request === 'encryption') this.socket.write('N');
    if (request !== 'session') return request === 'encryption';
    this.units.isStarting = false;
    this.backend = await this.host.backend;
    this.socket.write(greeting(this.id, this.backend.serverVersion));
    return true;
  }

  private async receiveUnit(backend: SharedBackend, unit: Unit | undefined): Promise<boolean> {
    if (!unit) return false;
    const request = this.statements.rewrite(unit);
    await this.takeBackend(backend);
    // A client that has left has given up its query; `leave` returns the backend.
    if (!this.socket.writable) return false;
    await this.respond(backend, request);
    return true;
  }

  private async respond(backend: SharedBackend, request: Buffer): Promise<void> {
    const response = await this.execute(backend, request);
    if (this.status === 'I') this.returnBackend(backend);
    else this.startIdleTimer();
    if (response === undefined) {
      throw new ProtocolViolation(
        '54000',
        `a response is over the limit of ${this.host.limits.maxResponseBytes} bytes`,
      );
    }
    this.socket.cork();
    const sent = response.map((data) => new Promise((resolve) => this.socket.write(data, resolve)));
    this.socket.uncork();
    // Waits for a slow reader before the next unit runs, so that responses do not pile up.
    await Promise.all(sent);
  }

  /** The complete response, or undefined when it is over the limit: a client never receives half of one. */
  private async execute(backend: SharedBackend, request: Buffer): Promise<Buffer[] | undefined> {
    const { maxResponseBytes } = this.host.limits;
    let response: Buffer[] = [];
    let bytes = 0;
    this.status = await backend.execute(request, (data) => {
      bytes += data.length;
      if (bytes > maxResponseBytes) response = [];
      else response.push(data);
    });
    return bytes > maxResponseBytes ? undefined : response;
  }

  private async takeBackend(backend: SharedBackend): Promise<void> {
    clearTimeout(this.idleTimer);
    if (this.hasBackend) return;
    await backend.acquire();
    this.hasBackend = true;
    this.hasRun = true;
    // A query blocks the event loop. Between two immediates it polls the sockets, and notices clients that left meanwhile.
    await setImmediate();
    await setImmediate();
  }

  private returnBackend(backend: SharedBackend): void {
    this.hasBackend = false;
    backend.release();
  }

  private startIdleTimer(): void {
    const { idleInTransactionMs } = this.host.limits;
    this.idleTimer = setTimeout(() => {
      this.drop(
        '25P03',
        `idle in a transaction for over ${idleInTransactionMs} ms, which blocks all other clients`,
      );
    }, idleInTransactionMs);
  }

  private async leave(): Promise<void> {
    const { backend } = this;
    if (!backend || !this.hasRun) return;
    await this.takeBackend(backend);
    if (this.status !== 'I') await backend.execute(ROLLBACK);
    // Otherwise a setting that a client changes stays in force for all clients.
    await backend.execute(Buffer.concat([...this.statements.closeAll(), RESET_ALL]));
    this.returnBackend(backend);
  }
}
