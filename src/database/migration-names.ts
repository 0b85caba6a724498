import type { MigrationInterface } from 'typeorm';

/** The name under which the database remembers a migration. */
export function nameOf(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

/** The first of the names seen that is none of this release's; then a later release has changed the schema. */
export function unknownMigration(
  seen: readonly { name: string }[],
  migrations: readonly MigrationInterface[],
): string | undefined {
  const known = new Set(migrations.map(nameOf));
  return seen.find(({ name }) => !known.has(name))?.name;
}
