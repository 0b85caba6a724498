/** The same as `engines` in package.json. This file imports nothing, so that every Node can load it. */
export const MINIMUM_NODE_MAJOR = 24;

/** One line when the Node version (as in `process.versions.node`) is too old, else undefined. */
export function nodeVersionProblem(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= MINIMUM_NODE_MAJOR) return undefined;
  return `This needs Node ${MINIMUM_NODE_MAJOR} or later, and runs on Node ${version}; npm scripts bring their own after npm ci.`;
}

export function exitOnOldNode(): void {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem === undefined) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
