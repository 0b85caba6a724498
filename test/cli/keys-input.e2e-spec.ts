import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { printed, printedList, runCli, runCommands } from '../support/command-line.js';
import { anyKind } from '../support/databases.js';
import { preload, watchModules } from '../support/preload.js';
import { sharedService } from '../support/service.js';

const WATCH_MODULES = preload(watchModules('node_modules.(@nestjs|typeorm)'));

describe('the keys command', () => {
  const service = sharedService(anyKind);
  const keys = (...args: string[]) => service.keys(...args);

  it('refuses invalid input with one line on stderr and exit code 2', async () => {
    const { id } = printed(await keys('create', '--name', 'kept', '--plan', 'free', '--json'));
    // Other test files issue keys too, so the names show whether a refused command has created one.
    const name = `refused ${randomUUID()}`;
    const wanted = ['create', '--name', name, '--plan'];
    const limits = (perMinute: string, perDay: string) => [
      ...[...wanted, 'enterprise'],
      ...[`--per-minute=${perMinute}`, `--per-day=${perDay}`],
    ];
    const cases: string[][] = [
      [],
      ['unheard-of'],
      ['create'],
      ['create', '--name', name],
      ['create', '--plan', 'free'],
      ['create', '--plan', 'free', '--name'],
      [...wanted, 'gold'],
      [...wanted, 'Free'],
      [...wanted, ''],
      [...wanted, 'constructor'],
      [...wanted, '__proto__'],
      ...['', '  ', 'a\nb', 'a\u0007b', 'n'.repeat(101)].map((bad) => [
        'create',
        `--name=${bad}`,
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
      [...wanted, 'free', '--name', 'another'],
      [...wanted, 'free', '--read-only', '--read-only'],
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
    const tried = [...cases, ...cases.slice(0, 4).map((args) => [...args, '--json'])];
    const results = await runCommands(
      service.env,
      [...tried, ['list', '--json']].map((args) => ['keys', ...args]),
    );
    // No refused command has changed anything, and a valid command is not refused.
    const after = printedList(results.pop()!);
    expect(after.map((each) => each.name)).not.toContain(name);
    expect(after.find((each) => each.id === id)).toMatchObject({ plan: 'free', revokedAt: null });
    const answers = results.map(({ code, stdout, stderr }, at) => ({
      args: tried[at],
      code,
      stdout,
      oneLine: /^[^\n]+\n$/.test(stderr) || stderr,
    }));
    expect(answers).toHaveLength(tried.length);
    expect(answers).toEqual(answers.map(({ args }) => ({ args, code: 2, stdout: '', oneLine: true })));
  });

  it.each<[string, object]>([
    ['keys rotate --help', { code: 0, stdout: expect.stringContaining('(default: 24h)'), stderr: '' }],
    ['seed --pets 0', { code: 2, stdout: '', stderr: '--pets: expected 1 to 10000000\n' }],
    ['import', { code: 2, stdout: '', stderr: "error: missing required argument 'file'\n" }],
  ])('answers %s without loading Nest or TypeORM', async (line, expected) => {
    expect(await runCli(WATCH_MODULES, ...line.split(' '))).toEqual(expected);
  });

  it('does not repeat a secret given instead of an id', async () => {
    const { key } = printed(await keys('create', '--name', 'misplaced', '--plan', 'free', '--json'));
    const result = await keys('show', key as string);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).not.toContain((key as string).slice(14));
  });

  it('reports each mistake in the environment in one line', async () => {
    const result = await runCli({ ...service.env, PORT: 'abc', LOG_LEVEL: 'loud' }, 'keys', 'list');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^PORT[^\n]+\nLOG_LEVEL[^\n]+\n$/);
  });
});
