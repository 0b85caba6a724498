import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const root = resolve(dirname(new URL(import.meta.url).pathname), '../..');

/** The files of the worked example by path, which each block names in its first line. */
function filesOf(page: string): Map<string, string> {
  const blocks = page.matchAll(/```ts\n\/\/ (src\/\S+)\n([\s\S]*?)```/g);
  return new Map(Array.from(blocks, ([, path, text]) => [join(root, path!), text!]));
}

describe('the worked example of docs/adding-a-module.md', () => {
  it('compiles with the service', () => {
    const files = filesOf(readFileSync(join(root, 'docs/adding-a-module.md'), 'utf8'));
    expect(files.size).toBe(7);
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const host = ts.createCompilerHost(options);
    const folders = new Set(Array.from(files.keys(), (path) => dirname(path)));
    host.directoryExists = (path) => folders.has(path) || ts.sys.directoryExists(path);
    host.fileExists = (path) => files.has(path) || ts.sys.fileExists(path);
    host.readFile = (path) => files.get(path) ?? ts.sys.readFile(path);
    const program = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
    // The rest of the program is checked by `npm run check`.
    const problems = [...files.keys()].flatMap((path) =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(path)),
    );
    expect(ts.formatDiagnostics(problems, host)).toBe('');
  }, 120_000);
});
