import { keepCompiledModules } from './compile-cache.js';

keepCompiledModules();
const { runCommandLine } = await import('./command-line.js');
await runCommandLine();
