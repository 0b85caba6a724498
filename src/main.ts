import { exitOnOldNode, keepCompiledModules } from './bootstrap/prepare-node.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
keepCompiledModules();
await import('./bootstrap/start-service.js');
