import { lstatSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { readText, reasonOf } from './text-file.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with the file's variables added where it has none. `process.loadEnvFile` would do that in place, but
 * would also let a NAME in the file clash with a real NAME_FILE, and skip what it cannot read without a word.
 */
export function withDotenv(path: string, env: NodeJS.ProcessEnv, problems: string[]): Environment {
  try {
    // Not existsSync: a link to nowhere is a mistake, not an absent file.
    if (!lstatSync(path, { throwIfNoEntry: false })) return env;
    const text = readText(path).replaceAll('\r\n', '\n');
    const lines = unreadableLines(text);
    problems.push(
      ...lines.map(
        (line) => `.env: line ${line}: expected NAME=value, with a value in quotes if it holds a #`,
      ),
    );
    const twinOf = (name: string) =>
      name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`;
    const added = Object.entries(parseEnv(text)).filter(([name]) => env[twinOf(name)] === undefined);
    return { ...Object.fromEntries(added), ...env };
  } catch (error) {
    problems.push(`.env: expected a readable text file; cannot read it (${reasonOf(error)})`);
    return env;
  }
}

/**
 * A blank line, a comment, or NAME=value with a comment behind it. Narrower than Node's own reader, whose releases
 * disagree about tabs, `NAME=` with spaces behind it and lines without `=`, and which cuts a bare value at any `#`.
 */
const DOTENV_NAME = / *(?:export +)?[a-z_][\w.-]* *=/.source;
const DOTENV_QUOTED = / *(?:"[^"]*"|'[^']*'|`[^`]*`) *(?:#[^\n]*)?/.source;
const DOTENV_BARE = /(?: *[^\s"'`#](?: |[^\s#])*?)?(?: +#[^\n]*)?/.source;
const DOTENV_LINE = new RegExp(
  `(?:${DOTENV_NAME}(?:${DOTENV_QUOTED}|${DOTENV_BARE})| *(?:#[^\\n]*)?)(?:\\n|$)`,
  'iy',
);

/** The numbers of the lines that Node would skip or guess at; never their content. */
function unreadableLines(text: string): number[] {
  const unreadable: number[] = [];
  let offset = 0;
  while (offset < text.length) {
    DOTENV_LINE.lastIndex = offset;
    const end = text.indexOf('\n', offset);
    if (DOTENV_LINE.test(text)) {
      offset = DOTENV_LINE.lastIndex;
      continue;
    }
    unreadable.push(text.slice(0, offset).split('\n').length);
    offset = end === -1 ? text.length : end + 1;
  }
  return unreadable;
}
