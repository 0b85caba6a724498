import type { Env } from './databases.js';

/** An environment in which Node runs this code before the service. */
export function preload(code: string): Env {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** Code for `preload` that reports on stderr every module whose URL matches this pattern when it is loaded. */
export const watchModules = (pattern: string) => `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/${pattern}/.test(url)) process.stderr.write('loaded ' + url + '\\n');
      return next(url, context);
    },
  });
`;

/** Divides every timeout of the HTTP server, also for silent connections, by ten, and prints the original ones on stderr. */
export const SHORT_HTTP_TIMEOUTS = preload(`
  import http from 'node:http';
  import net from 'node:net';
  http.Server.prototype.listen = function (...args) {
    const names = ['headersTimeout', 'requestTimeout', 'connectionsCheckingInterval'];
    process.stderr.write('timeouts ' + names.map((name) => this[name]).join(' ') + '\\n');
    process.stderr.write('silence ' + this.timeout + '\\n');
    for (const name of [...names, 'timeout', 'keepAliveTimeout']) this[name] /= 10;
    return net.Server.prototype.listen.apply(this, args);
  };
`);
