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
