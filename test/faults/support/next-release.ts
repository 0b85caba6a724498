import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/clean-up.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Migrations like those of any release: compatible with the old release, and each changes one table. */
const MIGRATIONS: Record<string, string> = {
  ChangePets9999999999991: 'alter table "pets" add column "next_release" text',
  ChangeOrders9999999999992: 'alter table "orders" add column "next_release" text',
  ChangeApiKeys9999999999993: 'alter table "api_keys" add column "next_release" text',
  ChangeIdempotencyKeys9999999999994: 'alter table "idempotency_keys" add column "next_release" text',
  CreateNextRelease9999999999995: 'create table "next_release" ("id" bigint primary key)',
};

const migration = (name: string, statement: string) => `export class ${name} {
  up = (queryRunner) => queryRunner.query('${statement}');
}
`;

/**
 * Builds the next release: the current build with more migrations. The current build, not an earlier commit, is the old release in the
 * test. This tests the code that is about to be released, and works with a shallow history.
 */
export function buildNextRelease(): { dist: string; migrations: string[] } {
  const home = temporaryFolder();
  const dist = join(home, 'dist');
  cpSync(join(ROOT, 'dist'), dist, { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
  for (const name of ['node_modules', 'packages']) symlinkSync(join(ROOT, name), join(home, name));
  for (const [name, statement] of Object.entries(MIGRATIONS))
    writeFileSync(join(dist, `platform/database/migrations/${name}.js`), migration(name, statement));
  return { dist, migrations: Object.keys(MIGRATIONS) };
}
