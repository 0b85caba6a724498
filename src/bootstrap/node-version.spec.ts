import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { MINIMUM_NODE_MAJOR, nodeVersionProblem } from './node-version.js';

describe('nodeVersionProblem', () => {
  it.each(['24.0.0', '24.21.0', '26.10.0', '100.0.0', '24.0.0-rc.1'])('accepts Node %s', (version) => {
    expect(nodeVersionProblem(version)).toBeUndefined();
  });

  it.each(['23.11.1', '22.23.3', '20.20.2', '9.11.2'])('refuses Node %s in one line', (version) => {
    expect(nodeVersionProblem(version)).toBe(
      `This needs Node 24 or later, and runs on Node ${version}; npm scripts bring their own after npm ci.`,
    );
  });

  it('needs the version that package.json names', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    expect(manifest.engines.node).toBe(`>=${MINIMUM_NODE_MAJOR}`);
  });
});
