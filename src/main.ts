import { exitOnOldNode, keepClassOfTicks, keepCompiledModules } from './platform/process/prepare-node.js';

// Everything else is imported after the check, because an old Node cannot even parse it.
exitOnOldNode();
keepCompiledModules();
keepClassOfTicks();
const [argument] = process.argv.slice(2);
if (argument === undefined) {
  const { startService } = await import('./platform/process/start-service.js');
  await startService(() => import('./app.setup.js'));
} else {
  const { answerArgument } = await import('./commands/command-line.js');
  answerArgument(argument);
}
