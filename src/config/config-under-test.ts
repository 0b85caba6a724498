import { afterEach, beforeEach } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from './load-config.js';

/** A new directory for each test of a spec. */
export class TestDirectory {
  path = '';

  constructor() {
    beforeEach(() => {
      this.path = mkdtempSync(join(tmpdir(), 'config-'));
    });
    afterEach(() => rmSync(this.path, { recursive: true }));
  }

  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }
}

export function problemsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

export const problems = (env: NodeJS.ProcessEnv) => problemsOf(() => loadConfig(env));
