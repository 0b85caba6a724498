import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ClientSession, type SessionHost, type SessionLimits } from './client-session.js';
import type { SharedBackend } from './shared-backend.js';

const DEFAULT_LIMITS: SessionLimits = {
  idleInTransactionMs: 3_000,
  maxRequestBytes: 64 * 1024 * 1024,
  maxResponseBytes: 256 * 1024 * 1024,
};

/**
 * Serves many PostgreSQL clients on the one session that PGlite has. Clients may connect before the database is open.
 *
 * Considered: the npm packages @electric-sql/pglite-socket 0.2 and pglite-server 0.1 pass single messages on instead of
 * units. With two clients of the first, 100 of 300 responses reached the wrong one.
 */
export class Multiplexer implements SessionHost {
  readonly limits: SessionLimits;
  private readonly opened = Promise.withResolvers<SharedBackend>();
  readonly backend = this.opened.promise;
  private readonly sessions = new Map<ClientSession, Promise<void>>();
  private lastId = 0;
  private isClosing = false;

  /** @param reportBroken is called when the database is lost */
  constructor(
    private readonly reportBroken: (error: unknown) => void,
    limits: Partial<SessionLimits> = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** Begins to serve the clients that wait. */
  open(backend: SharedBackend): void {
    this.opened.resolve(backend);
  }

  /** Serves a new connection. */
  accept(socket: Socket): void {
    if (this.isClosing) {
      socket.destroy();
      return;
    }
    const session = new ClientSession(++this.lastId, socket, this);
    const done = session.run().finally(() => this.sessions.delete(session));
    this.sessions.set(session, done);
  }

  /** Waits at most `graceMs` for the clients to leave, then drops those that remain. */
  async close(graceMs: number): Promise<void> {
    const late = pause(graceMs, true, { ref: false });
    // New clients may connect during the wait; a client that was accepted is served.
    while (this.sessions.size > 0) {
      if (await Promise.race([this.allSessions(), late])) break;
    }
    this.dropAll('the database is closing');
    await this.allSessions();
  }

  /** Drops all clients and accepts no more. */
  dropAll(reason: string): void {
    this.isClosing = true;
    for (const session of this.sessions.keys()) session.drop('57P01', reason);
  }

  /** The shared session is lost. */
  onBroken(error: unknown): void {
    this.isClosing = true;
    this.reportBroken(error);
  }

  private async allSessions(): Promise<void> {
    await Promise.all(this.sessions.values());
  }
}
