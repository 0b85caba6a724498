import { exitOnOldNode } from './bootstrap/node-version.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
const { keepCompiledModules } = await import('./bootstrap/compile-cache.js');
keepCompiledModules();
const { runCommandLine } = await import('./bootstrap/command-line.js');
await runCommandLine();
