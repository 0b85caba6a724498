import Papa from 'papaparse';
import type { NewPet, PetStatus } from 'animal-store-client';
import { int64Of } from '../../api/records';
import { categoryProblem, nameProblem } from '../animal-form';

/** A page holds this many; longer files are a matter of the command `import`. */
export const MOST_ROWS = 10_000;
export const MOST_BYTES = 5 * 1024 * 1024;

export const FIELDS = ['name', 'categoryId', 'status'] as const;
export type Field = (typeof FIELDS)[number];
/** The column of the file for each field; undefined: the file has none. */
export type Columns = Record<Field, string | undefined>;

export interface Table {
  columns: string[];
  /** The values of each row, with the line of the file where it begins. */
  rows: { line: number; values: Record<string, string> }[];
}

export interface Row {
  line: number;
  animal?: NewPet;
  /** What is wrong, as a sentence. */
  problem?: string;
  name: string;
}

const STATUSES: readonly string[] = ['available', 'pending', 'sold'];
const SPELLINGS: Record<Field, string[]> = {
  name: ['name', 'animal', 'animalname', 'petname'],
  categoryId: ['categoryid', 'category', 'categorynumber'],
  status: ['status', 'state'],
};

/** Reads a CSV file with a header. @throws Error with a sentence about the file */
export async function tableOf(file: File): Promise<Table> {
  if (file.size > MOST_BYTES)
    throw new Error('The file has more than 5 MB. Divide it, or use the command “import”.');
  const text = await textOf(file);
  const { data, meta, errors } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim(),
  });
  const columns = (meta.fields ?? []).filter((name) => name !== '');
  const quotes = errors.find(({ type }) => type === 'Quotes');
  if (quotes) throw new Error(`Line ${String((quotes.row ?? 0) + 2)}: a quotation mark is not closed.`);
  if (columns.length === 0 || data.length === 0)
    throw new Error(
      'The file has no rows. The first line names the columns, such as “name,categoryId,status”.',
    );
  if (data.length > MOST_ROWS)
    throw new Error(
      `The file has ${data.length.toLocaleString('en')} rows; at most 10,000 fit. Use the command “import”.`,
    );
  return { columns, rows: data.map((values, index) => ({ line: index + 2, values })) };
}

async function textOf(file: File): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error('The file is not UTF-8 text. Save it as “CSV UTF-8”.');
  }
}

/** The columns whose names say what they hold. */
export function matchColumns(columns: string[]): Columns {
  const bare = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const find = (field: Field) => columns.find((name) => SPELLINGS[field].includes(bare(name)));
  return { name: find('name'), categoryId: find('categoryId'), status: find('status') };
}

/** The rows as animals, or with what is wrong. */
export function rowsOf({ rows }: Table, columns: Columns): Row[] {
  const of = (values: Record<string, string>, field: Field) => {
    const column = columns[field];
    return column === undefined ? '' : (values[column] ?? '');
  };
  return rows.map(({ line, values }) => {
    const [name, category] = [of(values, 'name'), of(values, 'categoryId').trim()];
    const status = of(values, 'status').trim().toLowerCase();
    const problem =
      nameProblem(name) ??
      categoryProblem(category) ??
      (status !== '' && !STATUSES.includes(status)
        ? `A status is available, pending or sold; “${status}” is none.`
        : undefined);
    if (problem !== undefined) return { line, name, problem };
    const animal: NewPet = { name, categoryId: int64Of(category) };
    return { line, name, animal: status === '' ? animal : { ...animal, status: status as PetStatus } };
  });
}

/** The report of an import as CSV. A cell that a spreadsheet would run as a formula begins with an apostrophe. */
export function reportOf(rows: (Row & { id?: string; outcome: string })[]): string {
  const cells = rows.map(({ line, name, outcome, id = '' }) => ({ line, name, outcome, id }));
  return Papa.unparse(cells, { escapeFormulae: true });
}
