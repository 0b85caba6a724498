import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atCleanUp } from '../../support/clean-up.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Migrations like those of any release: compatible with the old release, and each changes one table. */
const MIGRATIONS: Record<string, string> = {
  ChangePets9999999999991: 'alter table "pets" add column "next_release" text',
  ChangeOrders9999999999992: 'alter table "orders" add column "next_release" text',
  ChangeApiKeys9999999999993: 'alter table "api_keys" add column "next_release" text',
  ChangeIdempotencyKeys9999999999994: 'alter table "idempotency_keys" add column "next_release" text',
  CreateNextRelease9999999999995: 'create table "next_release" ("id" bigint primary key)',
};

const migration = (name: string, statement: string) => `
export class ${name} {
  async up(queryRunner) {
    await queryRunner.query('${statement}');
  }
  async down() {}
}
`;

/**
 * The current build with more migrations. The current build, not an earlier commit, is the old release in the test. This
 * tests the code that is about to be released, and works with a shallow history.
 */
export class NextRelease {
  static readonly migrations = Object.keys(MIGRATIONS);
  private readonly home = mkdtempSync(join(tmpdir(), 'animal-store-next-'));
  readonly dist = join(this.home, 'dist');

  constructor() {
    cpSync(join(ROOT, 'dist'), this.dist, { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(this.home, 'package.json'));
    atCleanUp(() => rmSync(this.home, { recursive: true, force: true }));
    symlinkSync(join(ROOT, 'node_modules'), join(this.home, 'node_modules'));
    for (const [name, statement] of Object.entries(MIGRATIONS)) {
      writeFileSync(join(this.dist, `database/migrations/${name}.js`), migration(name, statement));
    }
  }
}
