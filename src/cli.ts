import { exitOnOldNode, keepCompiledModules } from './platform/process/prepare-node.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
keepCompiledModules();
const { runCommandLine } = await import('./commands/command-line.js');
await runCommandLine(() => import('./app.setup.js'));
