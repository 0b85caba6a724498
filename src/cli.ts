import { exitOnOldNode, keepCompiledModules } from './prepare-node.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
keepCompiledModules();
const { runCommandLine } = await import('./command-line.js');
await runCommandLine();
