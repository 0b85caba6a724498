import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { temporaryFolder } from './clean-up.js';
import { runCommand, type CommandResult } from './command-line.js';

/** Row counts and checksum, as `export` and `import` print them with --json. */
export interface Summary {
  file: string;
  migration: string;
  rows: Record<string, number>;
  sha256: string;
}

export interface Header {
  format: string;
  version: number;
  migration: string;
  exportedAt: string;
  nextIds: Record<string, string>;
}

/** A folder for one test file's exports. */
export class ExportFolder {
  private readonly folder = temporaryFolder();
  private last = 0;

  /** A path without a file. */
  path(): string {
    return join(this.folder, `${++this.last}.jsonl`);
  }

  /** A file with these lines. */
  file(lines: readonly string[]): string {
    const path = this.path();
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    return path;
  }

  /** A file with these lines and a matching trailer. */
  sealed(header: unknown, rows: readonly string[]): string {
    const lines = [JSON.stringify(header), ...rows];
    const counts: Record<string, number> = {};
    for (const row of rows) counts[tableOf(row)] = (counts[tableOf(row)] ?? 0) + 1;
    return this.file([...lines, JSON.stringify({ rows: counts, sha256: sha256Of(lines) })]);
  }

  async exported(env: Record<string, string>): Promise<string> {
    const path = this.path();
    done(await runCommand(env, 'export', path, '--json'));
    return path;
  }
}

export function sha256Of(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest('hex');
}

/** The header, the rows and the trailer, as text. */
export function readExport(path: string): { header: string; rows: string[]; trailer: string } {
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  return { header: lines.shift()!, trailer: lines.pop()!, rows: lines };
}

export const headerOf = (path: string) => JSON.parse(readExport(path).header) as Header;

export const tableOf = (line: string) => (JSON.parse(line) as { table: string }).table;

/** The summary that a command printed with --json. Throws if the command failed. */
export function done(result: CommandResult): Summary {
  if (result.code !== 0) throw new Error(result.stderr);
  expect(result.stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(result.stdout) as Summary;
}
