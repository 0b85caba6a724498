import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { databaseKinds, type TestDatabase } from './support/databases.js';
import { eachInTurn, printed, printedList } from './support/keys.js';
import { runKeys, Service } from './support/service.js';

// What is wrong with a command does not depend on the database it is meant for.
const [kind] = databaseKinds.slice(-1);

describe('what keys refuses', () => {
  let database: TestDatabase;
  const keys = (...args: string[]) => runKeys(database.env, ...args);

  beforeAll(async () => {
    database = await kind!.create();
    await Service.start(database.env);
  });
  afterAll(async () => {
    await Service.killAll();
    await database.drop();
  });

  it('answers bad input with one line on stderr, exit 2 and nothing on stdout', async () => {
    const { id } = printed(await keys('create', '--name', 'kept', '--plan', 'free', '--json'));
    const before = printedList(await keys('list', '--json'));
    const wanted = ['create', '--name', 'n', '--plan'];
    const limits = (perMinute: string, perDay: string) => [
      ...[...wanted, 'enterprise'],
      ...[`--per-minute=${perMinute}`, `--per-day=${perDay}`],
    ];
    const cases: string[][] = [
      [],
      ['unheard-of'],
      ['create'],
      ['create', '--name', 'n'],
      ['create', '--plan', 'free'],
      ['create', '--plan', 'free', '--name'],
      [...wanted, 'gold'],
      [...wanted, 'Free'],
      [...wanted, ''],
      [...wanted, 'constructor'],
      [...wanted, '__proto__'],
      ...['', '  ', 'a\nb', 'a\u0007b', 'n'.repeat(101)].map((name) => [
        'create',
        `--name=${name}`,
        '--plan',
        'free',
      ]),
      [...wanted, 'free', '--per-minute', '5'],
      [...wanted, 'pro', '--per-day', '5'],
      [...wanted, 'business', '--per-minute', '1000', '--per-day', '100000'],
      [...wanted, 'enterprise'],
      [...wanted, 'enterprise', '--per-minute', '5'],
      [...wanted, 'enterprise', '--per-day', '5'],
      ...['0', '-1', '1.5', '1e3', '0x10', '', ' 5', '2147483648', '9'.repeat(30)].map((few) =>
        limits(few, '5'),
      ),
      ...['0', '-1', 'many', '2147483648'].map((few) => limits('5', few)),
      ...[
        '0d',
        '90',
        'd',
        '-1d',
        '1.5h',
        '90 d',
        '90D',
        '1w',
        '90days',
        '',
        '1d1h',
        '40000d',
        '9'.repeat(30) + 's',
      ].map((bad) => [...wanted, 'free', `--expires-in=${bad}`]),
      [...wanted, 'free', '--unheard-of'],
      [...wanted, 'free', 'something more'],
      [...wanted, 'free', '--read-only=perhaps'],
      ['list', 'something more'],
      ['list', '--name', 'n'],
      ...['show', 'revoke'].flatMap((command) => [
        [command],
        [command, ''],
        [command, 'nonsense'],
        [command, randomUUID()],
        [command, `${id as string} `],
        [command, `{${id as string}}`],
        [command, id as string, randomUUID()],
        [command, id as string, '--unheard-of'],
      ]),
    ];
    const answers = await eachInTurn(
      [...cases, ...cases.slice(0, 4).map((args) => [...args, '--json'])],
      async (args) => {
        const { code, stdout, stderr } = await keys(...args);
        return { args, code, stdout, oneLine: /^[^\n]+\n$/.test(stderr) || stderr };
      },
    );
    expect(answers).toEqual(answers.map(({ args }) => ({ args, code: 2, stdout: '', oneLine: true })));
    // None of them has done half of its work.
    expect(printed(await keys('list', '--json'))).toEqual(before);
  }, 300_000);

  it('repeats no secret that was typed in the place of an id', async () => {
    const { key } = printed(await keys('create', '--name', 'misplaced', '--plan', 'free', '--json'));
    const result = await keys('show', key as string);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).not.toContain((key as string).slice(14));
  });

  it('reports mistakes in the environment, one line each', async () => {
    const result = await runKeys({ ...database.env, PORT: 'abc', LOG_LEVEL: 'loud' }, 'list', '--json');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^PORT[^\n]+\nLOG_LEVEL[^\n]+\n$/);
  });
});
