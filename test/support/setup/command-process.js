/* Runs commands of the built command line one after another in this process, with the results of separate processes. */
import { createServer } from 'node:net';
import { json } from 'node:stream/consumers';

const [socketPath, cli] = process.argv.slice(2);
let ran = 0;
let last = Promise.resolve();

createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  last = last.then(async () => socket.end(JSON.stringify(await run(await json(socket)))));
}).listen(socketPath, () => process.stdout.write('listening\n'));

async function run({ env, args }) {
  const result = { code: 0, stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'].map((name) => [name, process[name].write]);
  for (const [name] of streams) {
    process[name].write = (text) => {
      result[name] += text;
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
