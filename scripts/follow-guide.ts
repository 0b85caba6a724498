import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Follows docs/guide.md in a copy of the tree, block by block. `ts` is a whole file and `diff` changes one; both name it in
 * the first line. `sh` is a command. The first block that fails ends the run with exit code 1. It counts the files
 * and lines of a field, and the files that a module changes outside of its folder.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const guide = readFileSync(join(ROOT, 'docs/guide.md'), 'utf8');
/** The most files and lines of a field with its test. */
const FIELD = { files: 5, lines: 30 };
/** The most files outside of its folder that a module changes. */
const MODULE_FILES_OUTSIDE = 2;

const [fieldExample, moduleExample] = guide.split(/^## A module$/m).map(blocksOf) as [Block[], Block[]];
const [fieldFiles, fieldLines] = [filesOf(fieldExample), linesOf(fieldExample)];
console.log(`a field: ${fieldFiles.length} files, ${fieldLines} lines`);
if (fieldFiles.length > FIELD.files || fieldLines > FIELD.lines)
  throw new Error(`a field takes at most ${FIELD.files} files and ${FIELD.lines} lines`);
const blocks = [...fieldExample, ...moduleExample];

const copy = mkdtempSync(join(tmpdir(), 'animal-store-guide-'));
try {
  copyTree();
  for (const block of blocks) follow(block);
  checkFilesOutside();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

interface Block {
  language: string;
  text: string;
}

function blocksOf(text: string): Block[] {
  return Array.from(text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm), ([, language, content]) => ({
    language: language!,
    text: content!,
  }));
}

/** The files that a reader writes or changes. */
function filesOf(example: Block[]): string[] {
  const named = example
    .filter(({ language }) => language !== 'sh')
    .map(({ text }) => text.split('\n', 1)[0]!);
  return [...new Set(named.map((line) => line.replace('// ', '')))];
}

/** The lines that a reader writes. */
function linesOf(example: Block[]): number {
  const written = ({ language, text }: Block) => {
    if (language === 'ts') return text.split('\n').length - 2;
    return language === 'diff' ? (text.match(/^\+/gm) ?? []).length : 0;
  };
  return example.reduce((sum, block) => sum + written(block), 0);
}

/**
 * Copies what git tracks or does not ignore. `dist` stays behind: the copy has a build of its own.
 * node_modules is linked, because no command of the guide writes into a file there, or copied where /tmp is another file system.
 */
function copyTree(): void {
  const listed = `git -C '${ROOT}' ls-files -z --cached --others --exclude-standard`;
  run(`${listed} | (cd '${ROOT}' && xargs -0 cp --parents -t '${copy}')`);
  const modules = `-aT '${ROOT}node_modules' node_modules`;
  run(`cp -l ${modules} 2>/dev/null || { rm -rf node_modules; cp ${modules}; }`);
  run('git init --quiet && git add --all');
}

/** The files of `src` that the module changes outside of its folder, by hand or by a command. */
function checkFilesOutside(): void {
  const changed = execFileSync('git', ['diff', '--name-only', '--', 'src'], { cwd: copy, encoding: 'utf8' });
  const outside = changed.split('\n').filter((name) => name !== '' && !fieldFiles.includes(name));
  console.log(`a module: ${outside.length} files outside: ${outside.join(', ')}`);
  if (outside.length > MODULE_FILES_OUTSIDE)
    throw new Error(`a module changes at most ${MODULE_FILES_OUTSIDE} files outside`);
}

function follow({ language, text }: { language: string; text: string }): void {
  if (language === 'sh') {
    run(text);
    return;
  }
  const firstLine = text.slice(0, text.indexOf('\n'));
  const content = text.slice(firstLine.length + 1);
  const path = join(copy, firstLine.replace('// ', ''));
  console.log(`== ${language} ${firstLine}`);
  if (language === 'ts') {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } else if (language === 'diff') {
    const changed = content.split(/^@@\n/m).reduce(apply, readFileSync(path, 'utf8'));
    writeFileSync(path, changed);
  } else throw new Error(`a block of ${language} cannot be followed`);
}

/** Replaces the old lines of a hunk by the new ones. */
function apply(file: string, hunk: string): string {
  const linesWithout = (sign: string) =>
    hunk.replace(new RegExp(`^\\${sign}.*\\n`, 'gm'), '').replace(/^./gm, '');
  const parts = file.split(linesWithout('+'));
  if (parts.length !== 2) throw new Error(`expected these lines exactly once:\n${hunk}`);
  return parts.join(linesWithout('-'));
}

/** Runs a command of the guide, or one that prepares it, in the copy. */
function run(command: string): void {
  console.log(`== ${command.trim()}`);
  execFileSync('bash', ['-euo', 'pipefail', '-c', command], { cwd: copy, stdio: 'inherit' });
}
