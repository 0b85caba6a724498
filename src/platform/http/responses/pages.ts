import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteSettings } from '../operations/operation.decorator.js';
import { ifNoneMatchHolds, notModified } from './etag.js';

export const OPEN: RouteSettings = { open: true };

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

export interface Page {
  /** The path of the page itself, its `index.html`. Its other files lie below it, HTML without the ending. */
  path: string;
  files: readonly { name: string; folder: string }[];
  /** Other origins the page may call; scripts, styles and images come from this service alone. */
  origins?: readonly string[];
}

/** The style sheet of all pages. It is served below the path of each. */
const SHARED_STYLE = { name: 'pages.css', folder: fileURLToPath(new URL('.', import.meta.url)) };

/** Serves a page and its files without a key: nothing inline, nothing from other origins. */
export function servePage(fastify: FastifyInstance, { path, files, origins = [] }: Page): void {
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(origins),
    'Referrer-Policy': 'no-referrer',
  };
  for (const { name, folder } of [SHARED_STYLE, ...files]) {
    const url = name === 'index.html' ? path : `${path}/${name.replace(/\.html$/, '')}`;
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    serveContent(fastify, url, type, readFileSync(join(folder, name)), headers);
  }
  // Relative, because a proxy may have stripped a prefix from the path.
  const withoutSlash = `../${basename(path)}`;
  fastify.get(`${path}/`, { config: OPEN }, (_request, reply) => reply.redirect(withoutSlash, 308));
}

/**
 * Serves content from memory without a key. It is compressed at the first request for it, and made then where it is a function.
 */
export function serveContent(
  fastify: FastifyInstance,
  url: string,
  type: string,
  content: Buffer | string | (() => Promise<string>),
  headers: Readonly<Record<string, string>> = {},
): void {
  const isCompressible = !type.startsWith('image/');
  const prepare = async () => {
    const bytes = Buffer.from(typeof content === 'function' ? await content() : content);
    const zipped = isCompressible ? await promisify(gzip)(bytes) : undefined;
    return { bytes, zipped, digest: hash('sha1', bytes, 'base64url') };
  };
  let prepared: ReturnType<typeof prepare> | undefined;
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { bytes, zipped, digest } = await (prepared ??= prepare());
    const isZipped = zipped !== undefined && acceptsGzip(request.headers['accept-encoding']);
    const tag = `"${digest}${isZipped ? '-gzip' : ''}"`;
    void reply.headers({ ...headers, 'Cache-Control': 'no-cache', ETag: tag });
    // CORS may have added Origin.
    const vary = [reply.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', ');
    if (isCompressible) void reply.header('Vary', vary);
    // Fastify would write null as JSON, with a type and a length that are not the content's.
    if (ifNoneMatchHolds(request.headers['if-none-match'], tag))
      return notModified(request, reply) ?? undefined;
    void reply.type(type);
    if (!isZipped) return bytes;
    void reply.header('Content-Encoding', 'gzip');
    return zipped;
  };
  fastify.get(url, { config: OPEN }, async (request, reply) => reply.send(await send(request, reply)));
}

/** Whether `Accept-Encoding` names gzip and does not refuse it with `q=0`. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => /^\s*gzip\s*(?:;|$)/.test(item) && !/;\s*q=0(?:\.0*)?\s*$/.test(item));
}

function contentSecurityPolicy(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
