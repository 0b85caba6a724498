import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

const QUIET_MS = 1_000;

/**
 * Answers while the body of the connection's last request is still arriving. Closing at once would reset the connection, and the caller
 * would lose the response (RFC 9112, section 9.6). So the rest of the body is read and discarded first, until it ends or stalls.
 */
export function lingerFor(request: FastifyRequest, reply: FastifyReply): void {
  const { raw, socket } = request;
  void reply.header('Connection', 'close');
  // Node calls this method after the last response of a connection.
  socket.destroySoon = () => undefined;
  reply.raw.once('finish', () => {
    delete (socket as Partial<Socket>).destroySoon;
    // Node destroys a socket on which nothing moves for this long.
    socket.setTimeout(QUIET_MS);
    const end = () => socket.end();
    // The rest may have arrived before the response was sent.
    if (raw.readableEnded) end();
    else raw.once('end', end).resume();
  });
}

/** Ends a connection on which more is still arriving. Its caller has time to receive the response. */
export function closeSlowly(socket: Socket): void {
  socket.end();
  socket.setTimeout(QUIET_MS);
}

/** How many requests one connection may have unanswered. A connection with more is closed. */
const MAX_UNANSWERED = 32;
const STATE = Symbol('connection');

/** The state of one connection. */
export interface Connection {
  /** The responses that are not sent yet, with the length of those that are known. */
  unanswered: Map<ServerResponse, number>;
  /** The newest response, until it is sent and its request has arrived completely. */
  last: ServerResponse | undefined;
  /** The HTTP parser has refused a message. */
  isRefused: boolean;
  /** There were more than 32 unanswered requests. */
  isOverLimit: boolean;
}

/** The state of a connection; created by the first access. */
export function connectionOf(socket: Socket): Connection {
  const holder = socket as Socket & { [STATE]?: Connection };
  return (holder[STATE] ??= { unanswered: new Map(), last: undefined, isRefused: false, isOverLimit: false });
}

/**
 * Counts a request as unanswered until its response is sent. False: the connection has too many and is closed, and the request must not
 * be dispatched.
 */
export function beginExchange(request: IncomingMessage, response: ServerResponse): boolean {
  if (request === (DISCARDED as unknown)) return false;
  const { socket } = request;
  const connection = connectionOf(socket);
  if (connection.unanswered.size >= MAX_UNANSWERED) {
    connection.isOverLimit = true;
    socket.destroy();
    return false;
  }
  connection.unanswered.set(response, 0);
  connection.last = response;
  response.once('close', () => {
    connection.unanswered.delete(response);
    // An idle connection keeps nothing of its last request.
    if (connection.unanswered.size === 0 && response.req.complete) connection.last = undefined;
  });
  return true;
}

/** Calls `close` when the responses that are under way on this connection are sent. */
export function afterResponses(socket: Socket, close: () => void): void {
  const { last, unanswered } = connectionOf(socket);
  if (unanswered.size > 0) last?.once('close', close);
  else close();
}

/** How many characters of responses may wait for callers who do not read them, on all connections together. */
const MAX_UNSENT_CHARACTERS = 16 * 1024 * 1024;
const CONNECTIONS = Symbol('connections');

/** The open connections of a server. */
export class Connections {
  readonly open = new Set<Socket>();
  /** Paused until their turn, because nothing had arrived on them. */
  private readonly waiting: Socket[] = [];
  private charactersSinceLook = 0;

  constructor(server: Server) {
    Object.assign(server, { [CONNECTIONS]: this });
    server.on('connection', (socket) => {
      this.open.add(socket);
      // Node keeps the address from the first read on. A lost connection has none, and its request is still logged.
      Reflect.get(socket, 'remoteAddress');
      socket.once('close', () => this.open.delete(socket));
      if (this.waiting.length > 0) this.pause(socket);
    });
  }

  /**
   * Counts a response until it is sent. When all connections have too much unsent together, those with most of it are closed, because their
   * callers do not read what they asked for. Only now and then it looks at all connections, so that a response costs next to nothing.
   */
  addUnsent(response: ServerResponse, characters: number): void {
    connectionOf(response.req.socket).unanswered.set(response, characters);
    this.charactersSinceLook += characters;
    if (this.charactersSinceLook < MAX_UNSENT_CHARACTERS / 4) return;
    this.charactersSinceLook = 0;
    const connections = Array.from(this.open, (socket) => ({ socket, unsent: unsentOn(socket) }));
    connections.sort((a, b) => b.unsent - a.unsent);
    let total = connections.reduce((sum, { unsent }) => sum + unsent, 0);
    for (const { socket, unsent } of connections) {
      if (total <= MAX_UNSENT_CHARACTERS) return;
      total -= unsent;
      socket.destroy();
    }
  }

  /** Reads one unused connection in each iteration of the event loop, so that the other connections are served in between. */
  readUnusedOneByOne(): void {
    if (this.waiting.length > 0) return;
    for (const socket of this.unused()) this.pause(socket);
    this.resumeNext();
  }

  /** Node does not count unused connections as idle, and would wait for them when it closes. */
  closeUnused(): void {
    for (const socket of this.unused()) socket.destroy();
  }

  private unused(): Socket[] {
    return Array.from(this.open).filter(({ bytesRead }) => bytesRead === 0);
  }

  private pause(socket: Socket): void {
    socket.pause();
    this.waiting.push(socket);
  }

  private resumeNext(): void {
    setImmediate(() => {
      this.waiting.shift()?.resume();
      if (this.waiting.length > 0) this.resumeNext();
    });
  }
}

/** The connections of a server that `createHttpServer` made. */
export const connectionsOf = (server: Server) =>
  (server as Server & { [CONNECTIONS]: Connections })[CONNECTIONS];

function unsentOn(socket: Socket): number {
  let characters = 0;
  for (const length of connectionOf(socket).unanswered.values()) characters += length;
  return characters;
}

const ignore = () => undefined;
/** Accepts the calls of Node's HTTP server on a message, and stores nothing. */
const DISCARDED = {
  headers: {},
  on: ignore,
  assignSocket: ignore,
  _addHeaderLines: ignore,
  push: () => true,
  destroy: ignore,
};

/**
 * The message classes for `createServer`. Node reads 64 KiB at a time and builds a request and a response for each of the 1,700 heads that
 * fit into it, also after the socket is destroyed. After the refused request each of them is the shared `DISCARDED`, which takes no memory.
 */
export const boundedMessages = {
  IncomingMessage: function (socket: Socket) {
    return connectionOf(socket).isOverLimit ? DISCARDED : new IncomingMessage(socket);
  } as unknown as typeof IncomingMessage,
  ServerResponse: function (request: IncomingMessage, options: object) {
    if (request === (DISCARDED as unknown)) return DISCARDED;
    return new (ServerResponse as new (request: IncomingMessage, options: object) => ServerResponse)(
      request,
      options,
    );
  } as unknown as typeof ServerResponse,
};
