import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Runs before every build. The compiler leaves the outputs of a deleted source behind, and TypeORM would go on loading an entity or a
 * migration among them. Deleting all of `dist` would make every build slow and break a running service.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));

for (const folder of ['.', 'packages/pglite-server', 'packages/rate-limiter']) {
  const dist = join(ROOT, folder, 'dist');
  if (!existsSync(dist)) continue;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = relative(dist, join(entry.parentPath, entry.name));
    const source = path.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    const isOutput = entry.isFile() && /\.(ts|js|map|lua|css|html)$/.test(path);
    if (isOutput && ![source, path].some((name) => existsSync(join(ROOT, folder, 'src', name))))
      rmSync(join(dist, path));
  }
}
