import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { RouteSettings } from './operation.decorator.js';

export const OPEN: RouteSettings = { open: true };

export interface Page {
  /** Where the page itself lives: its `index.html`. Its other files lie below, HTML without the ending. */
  path: string;
  files: readonly { name: string; folder: string }[];
  /** Other origins the page may call; scripts, styles and images come from here alone. */
  origins?: readonly string[];
}

/** Lets `servePage` send files; once, before the first page. */
export async function allowFiles(fastify: FastifyInstance): Promise<void> {
  await fastify.register(fastifyStatic, { root: import.meta.dirname, serve: false });
}

/** Serves a page without a key, file by file by name: nothing inline, nothing from elsewhere. */
export function servePage(fastify: FastifyInstance, { path, files, origins = [] }: Page): void {
  const policy = contentSecurityPolicy(origins);
  for (const { name, folder } of files) {
    const url = name === 'index.html' ? path : `${path}/${name.replace(/\.html$/, '')}`;
    fastify.get(url, { config: OPEN }, (_request, reply) =>
      reply
        .header('Content-Security-Policy', policy)
        .header('Referrer-Policy', 'no-referrer')
        .header('Cache-Control', 'no-cache')
        .sendFile(name, folder, { cacheControl: false }),
    );
  }
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
