import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteSettings } from '../operations/operation.decorator.js';
import { ifNoneMatchHolds, notModified } from '../responses/etag.js';

export const OPEN_ROUTE: RouteSettings = { open: true };

export const HTML = 'text/html; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': HTML,
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

type Encoding = 'br' | 'gzip';
const COMPRESS: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify(gzip),
};

export interface ServedPage {
  /** The path of the page itself, its `index.html` or made. Its other files lie below it, HTML without the ending. */
  path: string;
  files: readonly { name: string; folder: string }[];
  /** Pages that are made when they are first asked for, by the name of their address; '' is the page itself. */
  made?: Readonly<Record<string, () => Promise<string>>>;
  /** Other origins the page may call; scripts, styles and images come from this service alone. */
  origins?: readonly string[];
  /** The page's scripts insert rules into an empty `<style>` element, as Emotion does. */
  insertsStyles?: boolean;
}

/** The style sheet of pages without a build of their own. */
export const SHARED_STYLE = { name: 'pages.css', folder: fileURLToPath(new URL('.', import.meta.url)) };

/** The hash of an empty element: rules that a script inserts into it are no inline style. */
const EMPTY_STYLE = `'sha256-${hash('sha256', '', 'base64')}'`;

/** Serves a page and its files without a key: nothing inline, nothing from other origins. */
export function servePage(
  fastify: FastifyInstance,
  { path, files, made = {}, origins = [], insertsStyles = false }: ServedPage,
): void {
  const headers = pageHeaders(origins, insertsStyles ? [EMPTY_STYLE] : []);
  for (const { name, folder } of files) {
    const url = name === 'index.html' ? path : `${path}/${name.replace(/\.html$/, '')}`;
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    serveContent(fastify, url, type, readFileSync(join(folder, name)), headers);
  }
  for (const [name, content] of Object.entries(made))
    serveContent(fastify, name === '' ? path : `${path}/${name}`, HTML, content, headers);
  // Relative, because a proxy may have stripped a prefix from the path.
  const withoutSlash = `../${basename(path)}`;
  fastify.get(`${path}/`, { config: OPEN_ROUTE }, (_request, reply) => reply.redirect(withoutSlash, 308));
}

/**
 * Serves content from memory without a key. It is compressed once per encoding, and made where it is a function, at the
 * first request for it.
 */
export function serveContent(
  fastify: FastifyInstance,
  url: string,
  type: string,
  content: Buffer | string | (() => Promise<string>),
  headers: Readonly<Record<string, string>> = {},
): void {
  const prepare = async () => {
    const bytes = Buffer.from(typeof content === 'function' ? await content() : content);
    return { bytes, digest: hash('sha1', bytes, 'base64url') };
  };
  let prepared: ReturnType<typeof prepare> | undefined;
  const isCompressible = !/^image\/|gzip$/.test(type);
  const compressed: Partial<Record<Encoding, Promise<Buffer>>> = {};
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { bytes, digest } = await (prepared ??= prepare());
    const encoding = isCompressible ? acceptedEncoding(request.headers['accept-encoding']) : undefined;
    const tag = `"${digest}${encoding === undefined ? '' : `-${encoding}`}"`;
    void reply.headers({ ...headers, 'Cache-Control': 'no-cache', ETag: tag });
    // CORS may have added Origin.
    const vary = [reply.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', ');
    if (isCompressible) void reply.header('Vary', vary);
    // Fastify would write null as JSON, with a type and a length that are not the content's.
    if (ifNoneMatchHolds(request.headers['if-none-match'], tag))
      return notModified(request, reply) ?? undefined;
    void reply.type(type);
    if (encoding === undefined) return bytes;
    void reply.header('Content-Encoding', encoding);
    return (compressed[encoding] ??= COMPRESS[encoding](bytes));
  };
  fastify.get(url, { config: OPEN_ROUTE }, async (request, reply) => reply.send(await send(request, reply)));
}

/** The best of the encodings that a caller names in `Accept-Encoding` and does not refuse with `q=0`. */
function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const accepted = String(header ?? '')
    .toLowerCase()
    .split(',')
    .filter((item) => !/;\s*q=0(?:\.0*)?\s*$/.test(item))
    .map((item) => item.split(';', 1)[0]?.trim());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding));
}

/** The headers of every page: nothing inline, nothing from other origins. */
export const pageHeaders = (origins: readonly string[] = [], styles: readonly string[] = []) => ({
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy(origins, styles),
  'Referrer-Policy': 'no-referrer',
});

function contentSecurityPolicy(origins: readonly string[], styles: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    "img-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
