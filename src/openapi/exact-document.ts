import type { OpenAPIObject } from '@nestjs/swagger';
import { INT64_MAX, INT64_MIN } from '../common/int64.js';

/** The same document, where every int64 without bounds of its own has those of an int64. Doubles cannot hold them, so they are bigints. */
export function withInt64Bounds<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(withInt64Bounds) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) copy[name] = withInt64Bounds(value as unknown);
  if (copy.format === 'int64') {
    copy.minimum ??= INT64_MIN;
    copy.maximum ??= INT64_MAX;
  }
  return copy as Node;
}

/** The document as YAML, with the digits of every bigint. */
export async function documentAsYaml(document: OpenAPIObject): Promise<string> {
  // Loaded only here: a start should not wait for it.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}
