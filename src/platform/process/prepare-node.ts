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
