import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/*
 * `npm run check:tables`: SQL in a folder of src names only tables of this folder, those whose entities it declares. Migrations are
 * excepted. dependency-cruiser does the same for entities and repositories that are imported.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Lower case, as the SQL of this service is; prose that begins a sentence with "Select" is none. */
const SQL =
  /(^|[\s(])(select|insert into|delete from|update|from|join|truncate|copy|lock table|merge into)\s/;
/** What comes before the name of a table; a list of tables may have aliases. */
const TABLES =
  /(?<![\w.])(?:from|join|into|update|truncate|copy|table|only|using)\s+((?:[\w".]+(?:\s+(?:as\s+)?\w+)?\s*,\s*)*[\w".]+)/g;
/** Methods of TypeORM that take the name of a table or an entity. */
const BY_NAME = /^(getRepository|createQueryBuilder|from|into|update|delete|\w*[jJ]oin\w*|hasMetadata)$/;

/** The names after the words that take a table; also those of functions, columns and common table expressions. */
function tablesIn(sql: string): string[] {
  if (!SQL.test(sql)) return [];
  return Array.from(sql.matchAll(TABLES), ([, list = '']) =>
    list
      .split(',')
      .map((item) => (item.trim().split(/\s/)[0] ?? '').replaceAll('"', '').replace(/^.*\./, '')),
  ).flat();
}

for (const [sql, tables] of [
  ['select id from api_keys where id = $1', ['api_keys']],
  ['select 1 from pets p, public.orders as o', ['pets', 'orders']],
  ['with a as (select 1) update "orders" set id = 1', ['orders']],
  ['exists (select from usage_days where key_id = ', ['usage_days']],
  [' left join key_events on key_id = id', ['key_events']],
  ['insert into events (id) values ($1)', ['events']],
  ['Orders of animals, and what became of pets.', []],
] as const)
  assert.deepEqual(tablesIn(sql), tables, sql);

interface Text {
  text: string;
  line: number;
  /** It is the first argument of a method that takes the name of a table. */
  isName: boolean;
}

/** The strings of a file. A template is one string: constants of the file are filled in, and every other expression is a question mark. */
function textsOf(file: string): Text[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = new Map<string, string>();
  const texts: Text[] = [];
  const textOf = (node: ts.Node): string | undefined => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isIdentifier(node)) return constants.get(node.text);
    if (!ts.isTemplateExpression(node)) return undefined;
    const spans = node.templateSpans.map((span) => (textOf(span.expression) ?? '?') + span.literal.text);
    return node.head.text + spans.join('');
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const text = textOf(node.initializer);
      if (text !== undefined) constants.set(node.name.text, text);
    }
    const text = textOf(node);
    if (text !== undefined && !ts.isIdentifier(node)) {
      const call = node.parent;
      const isName =
        ts.isCallExpression(call) &&
        call.arguments[0] === node &&
        ts.isPropertyAccessExpression(call.expression) &&
        BY_NAME.test(call.expression.name.text);
      texts.push({ text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, isName });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

const filesOf = (pattern: string) => globSync(join(ROOT, 'src', pattern)).sort();
const folderOf = (file: string) => relative(join(ROOT, 'src'), file).split('/')[0] ?? '';

/** The folder that owns each table, by the name of the table and of its entity. */
const owners = new Map(
  filesOf('**/*.entity.ts').flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/@Entity\('(\w+)'\)[\s\S]*?export class (\w+)/g),
      ([, table = '', entity = '']) => [table, entity].map((name) => [name, folderOf(file)] as const),
    ).flat(),
  ),
);
assert.ok(owners.size > 0, 'no entity was found');

let own = 0;
const faults = filesOf('**/*.ts')
  .filter((file) => !/\.spec\.ts$|\/migrations\//.test(file))
  .flatMap((file) =>
    textsOf(file).flatMap(({ text, line, isName }) =>
      (isName ? [text] : tablesIn(text)).flatMap((table) => {
        const owner = owners.get(table);
        if (owner === folderOf(file)) own += 1;
        return owner === undefined || owner === folderOf(file)
          ? []
          : [`${relative(ROOT, file)}:${line}: ${table} belongs to src/${owner}`];
      }),
    ),
  );
assert.ok(own > 0, 'no statement was found');
for (const fault of new Set(faults)) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
