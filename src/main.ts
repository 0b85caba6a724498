import { exitOnOldNode } from './bootstrap/node-version.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
const { keepCompiledModules } = await import('./bootstrap/compile-cache.js');
keepCompiledModules();
await import('./bootstrap/start-service.js');
