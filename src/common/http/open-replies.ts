import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** The answers under way on a connection, oldest first, for the order of answers to pipelined requests. */
const repliesOf = new WeakMap<Socket, FastifyReply[]>();

/** To be called for every request, as it comes. */
export function rememberReply(reply: FastifyReply): void {
  const { socket } = reply.request;
  const open = repliesOf.get(socket)?.filter(({ raw }) => !raw.writableFinished) ?? [];
  repliesOf.set(socket, [...open, reply]);
}

/** To be called when an answer is out: an idle connection keeps nothing of its last request, unless more of its body may come. */
export function forgetReply(reply: FastifyReply): void {
  const { socket } = reply.request;
  const open = repliesOf.get(socket);
  if (open && reply.raw.req.complete) {
    repliesOf.set(
      socket,
      open.filter((other) => other !== reply),
    );
  }
}

/** Calls back once every answer to a request that has come whole is out: at once where there is none under way. */
export function afterOpenReplies(socket: Socket, then: () => void): void {
  const last = (repliesOf.get(socket) ?? [])
    .filter(({ raw }) => !raw.writableFinished && raw.req.complete)
    .at(-1);
  if (last) last.raw.once('close', then);
  else then();
}

/** The answer, given or not, to the request whose body is still coming; undefined where the connection is between requests. */
export function replyToUnfinished(socket: Socket): FastifyReply | undefined {
  const last = repliesOf.get(socket)?.at(-1);
  return last && !last.raw.req.complete ? last : undefined;
}
