/** The same as `engines` in package.json. This file imports nothing, so that every Node can load it. */
const MINIMUM_NODE_MAJOR = 24;

/** Ends the process with one line when its Node is too old. */
export function exitOnOldNode(): void {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= MINIMUM_NODE_MAJOR) return;
  process.stderr.write(
    `This needs Node ${MINIMUM_NODE_MAJOR} or later, and runs on Node ${node}; npm scripts bring their own after npm ci.\n`,
  );
  process.exit(1);
}

/** Compiling the same modules again takes a fifth of a start. When the cache cannot be written, the service starts without it. */
export function keepCompiledModules(): void {
  const folder = new URL('../../../node_modules/.cache/animal-store/compiled', import.meta.url);
  const { fileURLToPath } = process.getBuiltinModule('node:url');
  process.getBuiltinModule('node:module').enableCompileCache(fileURLToPath(folder));
}

/** Never read: what counts is that the collector does not free it. */
export const keptTicks: object[] = [];

/**
 * Keeps one tick of `process.nextTick()`, so that V8 keeps the hidden class of all ticks. When the collector runs while no tick waits, V8
 * frees that class, and every later tick takes five times as long until the process ends: V8 calls its runtime for the computed keys.
 */
export function keepClassOfTicks(): void {
  const { executionAsyncResource } = process.getBuiltinModule('node:async_hooks');
  process.nextTick(() => {
    keptTicks.push(executionAsyncResource());
  });
}
