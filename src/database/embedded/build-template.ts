import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileOnce } from './compile-once.js';
import { initialize } from './pglite-store.js';
import { packTemplate, templatePath } from './template.js';

// Run after a build: a first start then unpacks the database that is made here, instead of making its own.
if (!existsSync(templatePath())) {
  compileOnce();
  const scratch = await mkdtemp(join(tmpdir(), 'animal-store-template-'));
  try {
    await initialize(scratch);
    await packTemplate(scratch, templatePath());
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
