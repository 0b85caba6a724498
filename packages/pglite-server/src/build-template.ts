import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTemplate, templatePath } from './store.js';

// Runs after the compiler; does nothing when the template of the installed PGlite exists.
if (!existsSync(templatePath())) {
  const scratch = await mkdtemp(join(tmpdir(), 'pglite-template-'));
  try {
    await buildTemplate(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
