import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** As every release must: the old one goes on beside what is added here. */
const MIGRATION = `
export class AddNextRelease9999999999999 {
  async up(queryRunner) {
    for (const table of ['pets', 'orders', 'api_keys', 'idempotency_keys'])
      await queryRunner.query('alter table "' + table + '" add column "next_release" text');
    await queryRunner.query('create table "next_release" ("id" bigint primary key)');
  }
  async down() {}
}
`;

/**
 * Today's build with one more migration. That today's is the old release of the two, and not a commit of the past,
 * keeps the test at what is about to be released, and works where the history is shallow.
 */
export class NextRelease {
  static readonly migration = 'AddNextRelease9999999999999';
  private readonly home = mkdtempSync(join(tmpdir(), 'animal-store-next-'));
  readonly dist = join(this.home, 'dist');

  constructor() {
    cpSync(join(ROOT, 'dist'), this.dist, { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(this.home, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(this.home, 'node_modules'));
    writeFileSync(join(this.dist, 'database/migrations/9999999999999-add-next-release.js'), MIGRATION);
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
