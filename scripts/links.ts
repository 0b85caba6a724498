import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lexer, walkTokens, type Tokens } from 'marked';

/*
 * `npm run check:links`: every link of the Markdown that git tracks leads to a file, and to a heading of it. Addresses of other hosts are
 * not called.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const faults = files
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
  .flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function faultsOf(file: string): string[] {
  const { links } = contentOf(join(ROOT, file));
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .flatMap((link) => {
      const [path = '', heading] = link.split('#');
      const target = path === '' ? join(ROOT, file) : join(ROOT, dirname(file), path);
      if (relative(ROOT, target).startsWith('..') || !existsSync(target))
        return [`${file}: ${link}: no such file`];
      if (heading === undefined || contentOf(target).headings.has(heading)) return [];
      return [`${file}: ${link}: no such heading`];
    });
}

/** The links of a page, and its headings as GitHub names them. */
function contentOf(path: string): { links: string[]; headings: Set<string> } {
  const links: string[] = [];
  const headings = new Set<string>();
  void walkTokens(lexer(readFileSync(path, 'utf8')), (token) => {
    if (token.type === 'link' || token.type === 'image') links.push((token as Tokens.Link).href);
    if (token.type === 'heading') {
      const text = (token as Tokens.Heading).text.toLowerCase();
      headings.add(text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-'));
    }
  });
  return { links, headings };
}
