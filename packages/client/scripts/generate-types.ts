import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/**
 * Writes src/api-types.ts from the service's openapi.json; with --check, fails when the file differs from the
 * document.
 */
const DOCUMENT = new URL('../../../openapi.json', import.meta.url);
const TYPES = new URL('../src/api-types.ts', import.meta.url);

const BANNER = `// Made from openapi.json by \`npm run generate\`; not to be changed by hand.
import type { Int64 } from './int64.js';

`;

/** Leaves out the response headers, which the client's types do not use and which would be nine tenths of the text. */
async function readDocument(): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(DOCUMENT, 'utf8'), (key, value: unknown) =>
    key === 'headers' ? undefined : value,
  );
  return JSON.stringify(parsed);
}

/** The codes of this release, so that a typo in a caller's comparison does not compile. */
function unionOf(codes: string[]): ts.UnionTypeNode {
  const literals = codes.map((code) => ts.factory.createStringLiteral(code));
  return ts.factory.createUnionTypeNode(literals.map((code) => ts.factory.createLiteralTypeNode(code)));
}

async function generate(): Promise<string> {
  const types = await openapiTS(await readDocument(), {
    // A field with a default may be left out of a request.
    defaultNonNullable: false,
    // A narrower range, such as that of Unix seconds, fits a number.
    transform: (schema) => {
      const { maximum, 'x-extensible-enum': codes } = schema as {
        maximum?: number;
        'x-extensible-enum'?: string[];
      };
      if (codes) return unionOf(codes);
      const isWhole = schema.format === 'int64' && !(maximum! < Number.MAX_SAFE_INTEGER);
      return isWhole ? ts.factory.createTypeReferenceNode('Int64') : undefined;
    },
  });
  return BANNER + astToString(types);
}

const generated = await generate();
if (!process.argv.includes('--check')) await writeFile(TYPES, generated);
else if ((await readFile(TYPES, 'utf8')) !== generated) {
  console.error(
    'packages/client/src/api-types.ts differs from openapi.json; run: npm run generate --workspace packages/client',
  );
  process.exitCode = 1;
}
