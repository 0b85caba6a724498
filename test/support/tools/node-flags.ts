import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  scripts: { start: string };
};

/** The flags that `npm start` gives Node. */
export const NODE_FLAGS = scripts.start.split(' ').slice(1, -1);
