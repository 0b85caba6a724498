import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

const QUIET_MS = 1_000;
const MAX_DISCARDED_CHUNKS = 1_024;

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
    let seenBytes = socket.bytesRead;
    const timer = setInterval(() => {
      if (socket.bytesRead === seenBytes) socket.destroy();
      seenBytes = socket.bytesRead;
    }, QUIET_MS).unref();
    socket.once('close', () => clearInterval(timer));
    const end = () => socket.end();
    // The rest may have arrived before the response was sent.
    if (raw.readableEnded) end();
    else raw.once('end', end).resume();
  });
}

/**
 * Discards the rest of a chunked body after its response, and ends the connection when the rest has too many chunks: a chunk of one
 * byte costs a hundred times more processor time to read than to send.
 */
export function discardChunks({ raw, socket }: FastifyRequest): void {
  let chunks = 0;
  raw.on('data', () => {
    chunks += 1;
    if (chunks !== MAX_DISCARDED_CHUNKS) return;
    // A paused request stops the reading of its socket. The timer gives the caller time to receive the response.
    raw.pause();
    socket.end();
    setTimeout(() => socket.destroy(), QUIET_MS).unref();
  });
}

/** How many requests one connection may have unanswered. A connection with more is closed. */
const MAX_UNANSWERED = 32;
const STATE = Symbol('connection');

/** The state of one connection. */
export interface Connection {
  unanswered: number;
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
  return (holder[STATE] ??= { unanswered: 0, last: undefined, isRefused: false, isOverLimit: false });
}

/**
 * Counts a request as unanswered until its response is sent. False: the connection has too many and is closed, and the request must not
 * be dispatched.
 */
export function beginExchange(request: IncomingMessage, response: ServerResponse): boolean {
  if (request === (DISCARDED as unknown)) return false;
  const { socket } = request;
  const connection = connectionOf(socket);
  if (connection.unanswered >= MAX_UNANSWERED) {
    connection.isOverLimit = true;
    socket.destroy();
    return false;
  }
  connection.unanswered += 1;
  connection.last = response;
  response.once('close', () => {
    connection.unanswered -= 1;
    // An idle connection keeps nothing of its last request.
    if (connection.unanswered === 0 && response.req.complete) connection.last = undefined;
  });
  return true;
}

/** Calls `close` when the responses that are under way on this connection are sent. */
export function afterResponses(socket: Socket, close: () => void): void {
  const { last, unanswered } = connectionOf(socket);
  if (unanswered > 0) last?.once('close', close);
  else close();
}

/** How many characters of responses may wait for callers who do not read them, on all connections together. */
const MAX_UNSENT_CHARACTERS = 16 * 1024 * 1024;

/** The characters of responses that the kernel has not taken yet, because callers do not read them. */
export class UnsentResponses {
  private total = 0;
  private readonly unsent = new Map<Socket, number>();

  constructor(
    server: Server,
    private readonly maxCharacters = MAX_UNSENT_CHARACTERS,
  ) {
    // Node closes no response that waits behind another one of a lost connection.
    server.on('connection', (socket) => socket.once('close', () => this.forget(socket)));
  }

  /** Counts a response until it is sent. Beyond the bound, the connections with most of them are closed. */
  add(response: ServerResponse, characters: number): void {
    const { socket } = response.req;
    if (socket.destroyed || characters === 0) return;
    this.change(socket, characters);
    response.once('close', () => this.change(socket, -characters));
    while (this.total > this.maxCharacters) this.closeLargest();
  }

  private change(socket: Socket, by: number): void {
    const before = this.unsent.get(socket) ?? 0;
    // After a lost connection.
    if (before + by < 0) return;
    this.total += by;
    if (before + by === 0) this.unsent.delete(socket);
    else this.unsent.set(socket, before + by);
  }

  private closeLargest(): void {
    const [largest] = [...this.unsent].reduce((a, b) => (b[1] > a[1] ? b : a));
    this.forget(largest);
    largest.destroy();
  }

  private forget(socket: Socket): void {
    this.total -= this.unsent.get(socket) ?? 0;
    this.unsent.delete(socket);
  }
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

/** Connections on which nothing has arrived yet. Node does not count them as idle, and would wait for them when it closes. */
export class UnusedConnections {
  private readonly open = new Set<Socket>();
  private readonly waiting: Socket[] = [];

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
      if (this.waiting.length > 0) this.pause(socket);
    });
  }

  /** Reads one of them in each iteration of the event loop, so that the other connections are served in between. */
  readOneByOne(): void {
    if (this.waiting.length > 0) return;
    for (const socket of this.open) if (socket.bytesRead === 0) this.pause(socket);
    this.resumeNext();
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

  close(): void {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }
}
