import { exitOnOldNode, keepCompiledModules } from './prepare-node.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
keepCompiledModules();
const [argument] = process.argv.slice(2);
if (argument === undefined) {
  await import('./start-service.js');
} else {
  const { answerArgument } = await import('./command-line.js');
  answerArgument(argument);
}
