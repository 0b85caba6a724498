import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Transform } from 'node:stream';
import { type CsvError, type Info, parse } from 'csv-parse';
import { describeValue } from '../../platform/common/describe-value.js';
import { RefusedInputError } from '../../platform/common/errors/refused-input-error.js';
import { parseInt64 } from '../../platform/common/int64.js';
import { parseJson } from '../../platform/common/json.js';
import { validBody } from '../../platform/http/requests/validation/validate.js';
import { NewPetDto } from '../dto/pets.dto.js';

/** No valid animal comes near it. */
const MAX_LINE_BYTES = 65_536;
const COLUMNS = ['name', 'categoryId', 'status'];
const REQUIRED_COLUMNS = COLUMNS.slice(0, 2);
const BYTE_ORDER_MARK = '\uFEFF';

/** A record of a file: an animal, or what is wrong with it. `line`: where it ends, from 1. */
export type FileRecord = { line: number } & ({ pet: NewPetDto } | { problem: string });

/** A file of animals, CSV with a header or JSON lines, read as a stream of any size. */
export class PetFile {
  private constructor(
    private readonly path: string,
    private readonly isJson: boolean,
  ) {}

  /** @throws RefusedInputError when it cannot be read */
  static async open(path: string): Promise<PetFile> {
    try {
      const file = await open(path);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(1_024), 0, 1_024, 0);
      await file.close();
      const start = buffer.toString('utf8', 0, bytesRead).replace(BYTE_ORDER_MARK, '').trimStart();
      return new PetFile(path, start.startsWith('{'));
    } catch (error) {
      throw new RefusedInputError(`Cannot read the file: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Its records. `onDigest` gets the SHA-256 of the file at its end. */
  async *records(onDigest: (digest: Buffer) => void): AsyncGenerator<FileRecord> {
    const hash = createHash('sha256');
    yield* this.isJson ? jsonRecords(this.path, hash) : csvRecords(this.path, hash);
    onDigest(hash.digest());
  }
}

const startsWithMark = (chunk: Buffer) => chunk.toString('utf8', 0, 3) === BYTE_ORDER_MARK;

async function* jsonRecords(path: string, hash: Hash): AsyncGenerator<FileRecord> {
  let line = 0;
  for await (const bytes of linesOf(path, hash)) {
    line += 1;
    if (bytes === undefined) yield { line, problem: `expected at most ${MAX_LINE_BYTES} bytes` };
    else if (bytes.toString('latin1').trim() !== '') yield checked(line, () => parseJson(bytes));
  }
}

/** The lines of a file; undefined for one that is too long. Not node:readline, which ends a line at U+2028 too. */
async function* linesOf(path: string, hash: Hash): AsyncGenerator<Buffer | undefined> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const add = (part: Buffer) => {
    restBytes += part.length;
    if (restBytes <= MAX_LINE_BYTES) rest.push(part);
  };
  const take = () => {
    const line = restBytes > MAX_LINE_BYTES ? undefined : Buffer.concat(rest);
    rest = [];
    restBytes = 0;
    return line;
  };
  let isFirst = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    let from = isFirst && startsWithMark(chunk) ? 3 : 0;
    isFirst = false;
    for (let to = chunk.indexOf(10, from); to !== -1; to = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, to));
      yield take();
      from = to + 1;
    }
    add(chunk.subarray(from));
  }
  if (restBytes > 0) yield take();
}

/** csv-parse reads RFC 4180 as a stream, with the line of each record and of each fault. */
async function* csvRecords(path: string, hash: Hash): AsyncGenerator<FileRecord> {
  const skipped: FileRecord[] = [];
  const parser = parse({
    encoding: null,
    info: true,
    max_record_size: MAX_LINE_BYTES,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
  });
  parser.on('skip', ({ lines: line, message }: CsvError & { lines: number }) => {
    // One record may have several faults. What follows the colon is the received value.
    if (skipped.at(-1)?.line !== line)
      skipped.push({ line, problem: `expected CSV as in RFC 4180, got: ${message.split(':', 1)[0]}` });
  });
  let isFirst = true;
  const digest = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, isFirst && startsWithMark(chunk) ? chunk.subarray(3) : chunk);
      isFirst = false;
    },
  });
  // A failure of the stream ends the loop below.
  pipeline(createReadStream(path), digest, parser, () => undefined);
  let columns: string[] | undefined;
  for await (const { record, info } of parser as AsyncIterable<{ record: Buffer[]; info: Info }>) {
    const line = info.lines;
    // The parser is ahead of this loop.
    for (let next = skipped[0]; next && next.line <= line; next = skipped[0]) {
      yield next;
      skipped.shift();
    }
    if (!record.every(isUtf8)) {
      yield { line, problem: 'expected UTF-8' };
      continue;
    }
    const texts = record.map(String);
    if (columns) {
      const names = columns;
      yield checked(line, () => bodyOf(names, texts));
      continue;
    }
    const problem = problemOfHeader(texts);
    if (problem !== undefined) {
      yield { line, problem };
      // Without a header no other line means anything.
      return void parser.destroy();
    }
    columns = texts;
  }
  yield* skipped;
  if (!columns && skipped.length === 0)
    yield { line: 1, problem: `expected a header such as ${COLUMNS.join(',')}, got nothing` };
}

function problemOfHeader(columns: string[]): string | undefined {
  const unknown = columns.filter((name, at) => !COLUMNS.includes(name) || columns.indexOf(name) !== at);
  const missing = REQUIRED_COLUMNS.filter((name) => !columns.includes(name));
  if (unknown.length === 0 && missing.length === 0) return undefined;
  const got = columns.map(describeValue).slice(0, 5).join(', ');
  return `expected a header with ${REQUIRED_COLUMNS.join(', ')} and, where wanted, status, each once, got ${got}`;
}

/** A record of CSV as the body that HTTP would have. An empty status is none. */
function bodyOf(columns: string[], texts: string[]): object {
  if (texts.length !== columns.length)
    throw new Error(`expected ${columns.length} fields, got ${texts.length}`);
  return Object.fromEntries(
    columns.flatMap((name, at) => {
      const text = texts[at] ?? '';
      if (name === 'status' && text === '') return [];
      return [[name, name === 'categoryId' ? (parseInt64(text) ?? text) : text]];
    }),
  );
}

function checked(line: number, read: () => unknown): FileRecord {
  try {
    return { line, pet: validBody(read(), NewPetDto) };
  } catch (error) {
    return { line, problem: (error as Error).message };
  }
}
