/* Runs commands of the built command line one after another in this process, with the results of separate processes. */
import { EventEmitter } from 'node:events';
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';

const [socketPath, cli] = process.argv.slice(2) as [string, string];
// Each run adds listeners to the commands, which are loaded once.
EventEmitter.defaultMaxListeners = 0;
let ran = 0;
let last: Promise<unknown> = Promise.resolve();

createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  last = last.then(async () => socket.end(JSON.stringify(await run((await json(socket)) as Command))));
}).listen(socketPath, () => process.stdout.write('listening\n'));

interface Command {
  env: NodeJS.ProcessEnv;
  args: string[];
}

async function run({ env, args }: Command) {
  const result = { code: 0, stdout: '', stderr: '' };
  const streams = (['stdout', 'stderr'] as const).map(
    (name) => [name, process[name].write.bind(process[name])] as const,
  );
  for (const [name] of streams) {
    process[name].write = (text: string | Uint8Array) => {
      result[name] += String(text);
      return true;
    };
  }
  process.env = { ...env };
  process.argv = [process.execPath, 'cli.js', ...args];
  process.exitCode = 0;
  try {
    await import(`${cli}?run=${(ran += 1)}`);
  } finally {
    for (const [name, write] of streams) {
      process[name].write = write;
      // Each run of the command line adds a listener.
      process[name].removeAllListeners('error');
    }
  }
  result.code = process.exitCode;
  process.exitCode = 0;
  return result;
}
