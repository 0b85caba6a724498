import type { Socket } from 'node:net';
import { ClientSession, type SessionHost, type SessionLimits } from './client-session.js';
import { type RawBackend, SharedBackend } from './shared-backend.js';

const DEFAULT_LIMITS: SessionLimits = {
  idleInTransactionMs: 3_000,
  maxRequestBytes: 64 * 1024 * 1024,
  maxResponseBytes: 256 * 1024 * 1024,
};

/** Many PostgreSQL clients on the one session that PGlite has. Clients may come before the database is open. */
export class Multiplexer implements SessionHost {
  readonly backend: Promise<SharedBackend>;
  readonly limits: SessionLimits;
  serverVersion = '';
  private readonly sessions = new Map<ClientSession, Promise<void>>();
  private opened!: (backend: SharedBackend) => void;
  private lastId = 0;
  private closing = false;

  constructor(
    private readonly onBroken: (error: unknown) => void,
    limits: Partial<SessionLimits> = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.backend = new Promise((resolve) => (this.opened = resolve));
  }

  /** Lets everyone in who waits. */
  open(database: RawBackend, serverVersion: string): SharedBackend {
    this.serverVersion = serverVersion;
    const backend = new SharedBackend(database);
    this.opened(backend);
    return backend;
  }

  /** Serves a new connection. */
  accept(socket: Socket): void {
    if (this.closing) {
      socket.destroy();
      return;
    }
    const session = new ClientSession(++this.lastId, socket, this);
    const done = session.run().finally(() => this.sessions.delete(session));
    this.sessions.set(session, done);
  }

  /** Goes on serving for a moment while there are clients, then takes nobody new and drops who is left. */
  async close(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(true), graceMs)));
    // Clients may come while others are waited for, and whoever was greeted can count on being served.
    while (this.sessions.size > 0) {
      if (await Promise.race([this.everyone().then(() => false), late])) break;
    }
    clearTimeout(timer);
    this.closing = true;
    this.dropAll('the embedded database is closing');
    await this.everyone();
  }

  /** The database could not be opened: nobody will ever be served. */
  abandon(): void {
    this.closing = true;
    this.dropAll('the embedded database cannot be opened');
  }

  /** The database is lost, and with it every session. */
  broken(error: unknown): void {
    this.closing = true;
    this.onBroken(error);
  }

  private async everyone(): Promise<void> {
    await Promise.all(this.sessions.values());
  }

  private dropAll(reason: string): void {
    for (const session of this.sessions.keys()) session.drop('57P01', reason);
  }
}
