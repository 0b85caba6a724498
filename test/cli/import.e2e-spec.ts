import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/clean-up.js';
import { killCliAt, refused, runCommand } from '../support/command-line.js';
import { databaseKinds, onDatabase } from '../support/databases.js';
import { sharedService } from '../support/service.js';

const PETS = 3_000;

// The categories are those of no other test, because the tests of a run share a service.

describe.each(databaseKinds)('the import command on $name', (kind) => {
  const service = sharedService(kind);
  const folder = temporaryFolder();
  let files = 0;
  const fileOf = (content: string | Buffer, ending = 'csv') => {
    const path = join(folder, `animals-${(files += 1)}.${ending}`);
    writeFileSync(path, content);
    return path;
  };
  const run = (...args: string[]) => runCommand(service.env, 'import', ...args);
  const petsIn = (category: bigint) =>
    onDatabase<{ name: string; status: string }>(
      service,
      'select name, status from pets where category_id = $1 order by id',
      [category],
    );

  it('adds the animals of CSV in their order, int64s and names exactly', async () => {
    const category = 9223372036854772001n;
    const path = fileOf(
      `\uFEFFcategoryId,name,status\r\n${category},"a ""quoted"", name",sold\r\n\r\n${category},"two\nlines",\r\n${category}, ñ🐕 ,pending`,
    );
    expect(await run(path)).toMatchObject({ code: 0, stdout: `${path}: added 3 animals\n` });
    expect(await petsIn(category)).toEqual([
      { name: 'a "quoted", name', status: 'sold' },
      { name: 'two\nlines', status: 'available' },
      { name: ' ñ🐕 ', status: 'pending' },
    ]);
  });

  it('adds the animals of JSON lines, once however often it is repeated', async () => {
    const category = -9223372036854772002n;
    const path = fileOf(
      `{"name":"one \u2028","categoryId":${category}}\n\n{"name":"two","categoryId":${category},"status":"sold"}\n`,
      'jsonl',
    );
    expect(JSON.parse((await run(path, '--json')).stdout)).toEqual({
      file: path,
      pets: 2,
      added: 2,
      addedBefore: 0,
    });
    expect(JSON.parse((await run(path, '--json')).stdout)).toEqual({
      file: path,
      pets: 2,
      added: 0,
      addedBefore: 2,
    });
    expect(await petsIn(category)).toEqual([
      { name: 'one \u2028', status: 'available' },
      { name: 'two', status: 'sold' },
    ]);
  });

  it('names every line at fault and adds nothing', async () => {
    const lines = [
      'name,categoryId,status',
      'fine,9223372036854772077,',
      ',9223372036854772077,',
      'x,7.5,',
      'x,9223372036854772077,lost',
      'x,9223372036854772077',
      'a"b"c,9223372036854772077,',
      'fine,9223372036854772077,',
    ];
    const { code, stdout, stderr } = await run(fileOf(lines.join('\n')));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^line 3: name: expected .*, got an empty string$/),
      'line 4: categoryId: expected an integer that fits 64 bits, got "7.5"',
      'line 5: status: expected one of available, pending, sold, got "lost"',
      'line 6: expected 3 fields, got 2',
      'line 7: expected CSV as in RFC 4180, got: Invalid Opening Quote',
      '5 lines are at fault; nothing was added',
      '',
    ]);
    const json = await run(
      fileOf('{"name":"x","categoryId":9223372036854772077}\n{"name":1}\n{"name"\n', 'jsonl'),
    );
    expect(json.stderr).toMatch(/^line 2: name: .*; categoryId: .*\nline 3: .*\n2 lines are at fault/);
    expect(await petsIn(9223372036854772077n)).toEqual([]);
  });

  it.each([
    ['', /^line 1: expected a header such as name,categoryId,status, got nothing/],
    [
      'name,category\nx,1',
      /^line 1: expected a header with name, categoryId and, .* got "name", "category"\n/,
    ],
    [
      Buffer.from([...Buffer.from('name,categoryId\n'), 0xff, ...Buffer.from(',1\n')]),
      /^line 2: expected UTF-8\n/,
    ],
    [`name,categoryId\n${'x'.repeat(70_000)},1\n`, /^line 2: /],
  ])('refuses a file that is not one of animals (%#)', async (content, message) => {
    const { code, stderr } = await run(fileOf(content));
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });

  it('checks only with --dry-run, and refuses a file that it cannot read', async () => {
    const path = fileOf('name,categoryId\nx,9223372036854772078\n');
    expect(await run(path, '--dry-run')).toMatchObject({
      code: 0,
      stdout: `${path}: 1 animals can be added\n`,
    });
    expect(await petsIn(9223372036854772078n)).toEqual([]);
    expect(refused(await run(join(folder, 'nothing.csv')))).toContain('Cannot read the file');
  });

  it('can be killed in the middle and repeated without a double', async () => {
    const lines = Array.from({ length: PETS }, (_, index) => `pet ${index},9223372036854772079`);
    const path = fileOf(`name,categoryId\n${lines.join('\n')}\n`);
    expect(await killCliAt(service.env, /adding animals 1,500/, 'import', path)).toBe('SIGKILL');
    const added = (await petsIn(9223372036854772079n)).length;
    expect(added).toBeGreaterThanOrEqual(1_000);
    expect(added).toBeLessThan(PETS);
    const { stdout } = await run(path, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ added: PETS - added, addedBefore: added });
    expect((await petsIn(9223372036854772079n)).map(({ name }) => name)).toEqual(
      lines.map((_, index) => `pet ${index}`),
    );
  });
});
