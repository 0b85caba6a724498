import type { MigrationInterface } from 'typeorm';

/** The name of a migration in the database's table of migrations. */
export function nameOf(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

/** The first name in `seen` that this release does not have: a later release has changed the schema. */
export function unknownMigration(
  seen: readonly { name: string }[],
  migrations: readonly MigrationInterface[],
): string | undefined {
  const known = new Set(migrations.map(nameOf));
  return seen.find(({ name }) => !known.has(name))?.name;
}
