import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { printed, printedList, refused, runCli, runCommand, runCommands } from '../support/command-line.js';
import { anyKind, describeOnServer, embedded, onDatabase } from '../support/databases.js';
import { preload, watchModules } from '../support/preload.js';
import { sharedService } from '../support/service.js';

const WATCH_MODULES = preload(watchModules('node_modules.(@nestjs|typeorm)'));
const TOO_LONG = '9'.repeat(30);

describe('a command with invalid input', () => {
  const service = sharedService(anyKind);

  it('prints one line on stderr, exits with 2 and changes nothing', async () => {
    const created = await service.keys(...'create --name kept --plan free --json'.split(' '));
    const id = printed(created).id as string;
    // Other test files issue keys too, so the names show whether a refused command has created one.
    const name = `refused ${randomUUID()}`;
    const create = ['create', '--name', name, '--plan'];
    const enterprise = (perMinute: string, perDay: string) => [
      ...create,
      'enterprise',
      `--per-minute=${perMinute}`,
      `--per-day=${perDay}`,
    ];
    const keys: string[][] = [
      ...['', 'unheard-of', 'create', 'create --plan free', 'create --plan free --name'].map((line) =>
        line.split(' '),
      ),
      ['create', '--name', name],
      ...['gold', 'Free', '', 'constructor', '__proto__', 'enterprise'].map((plan) => [...create, plan]),
      ...['', '  ', 'a\nb', 'a\u0007b', 'n'.repeat(101)].map((bad) => [
        'create',
        `--name=${bad}`,
        '--plan',
        'free',
      ]),
      ...[
        'free --per-minute 5',
        'pro --per-day 5',
        'business --per-minute 1000 --per-day 100000',
        'enterprise --per-minute 5',
        'enterprise --per-day 5',
        'free --unheard-of',
        'free --name another',
        'free --read-only --read-only',
        'free more',
        'free --read-only=perhaps',
      ].map((line) => [...create, ...line.split(' ')]),
      ...['0', '-1', '1.5', '1e3', '0x10', '', ' 5', '2147483648', TOO_LONG].map((few) =>
        enterprise(few, '5'),
      ),
      ...['0', '-1', 'many', '2147483648'].map((few) => enterprise('5', few)),
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
        `${TOO_LONG}s`,
      ].map((bad) => [...create, 'free', `--expires-in=${bad}`]),
      ...['1', '1x', '-1h', '1.5h', '', '1 h', '99999999999d'].map((bad) => [
        'rotate',
        id,
        `--overlap=${bad}`,
      ]),
      ...['list more', 'list --name n', 'list --limit 0', 'list --limit -1', 'list --after abc'].map((line) =>
        line.split(' '),
      ),
      ['list', '--after', randomUUID()],
      ...['show', 'revoke', 'rotate'].flatMap((command) =>
        [
          [],
          [''],
          ['nonsense'],
          [randomUUID()],
          [`${id} `],
          [`{${id}}`],
          [id, randomUUID()],
          [id, '--unheard-of'],
        ].map((args) => [command, ...args]),
      ),
    ];
    const cases = [
      ...keys.map((args) => ['keys', ...args.filter((arg) => arg !== '' || args.length > 1)]),
      ...['', '--pets', '--pets 1 more', '--pets 1 --unheard-of'].map((line) =>
        `seed ${line}`.trim().split(' '),
      ),
      ...['0', '-1', '1.5', '1e3', '', 'many', '10000001', TOO_LONG].map((pets) => [
        'seed',
        `--pets=${pets}`,
      ]),
      ...['-1', '4294967296', 'x', ''].map((seed) => ['seed', '--pets', '1', `--seed=${seed}`]),
      ...['database', 'database gather', 'database distribute pets'].map((line) => line.split(' ')),
    ];
    cases.push(...cases.slice(0, 4).map((args) => [...args, '--json']));
    const rows = () => onDatabase(service, 'select count(*) from pets');
    const before = await rows();
    const results = await runCommands(service.env, cases);
    const seen = results.map(({ code, stdout, stderr }, at) => [
      cases[at],
      code,
      stdout,
      stderr.match(/\n/g)?.length,
    ]);
    expect(seen).toEqual(cases.map((args) => [args, 2, '', 1]));
    // A valid command is not refused.
    const after = printedList(await service.keys('list', '--json'));
    expect(after.map((each) => each.name)).not.toContain(name);
    expect(after.find((each) => each.id === id)).toMatchObject({ plan: 'free', revokedAt: null });
    expect(await rows()).toEqual(before);
  });

  it.each<[string, object]>([
    ['keys rotate --help', { code: 0, stdout: expect.stringContaining('(default: 24h)'), stderr: '' }],
    ['seed --pets 0', { code: 2, stdout: '', stderr: '--pets: expected 1 to 10000000\n' }],
    ['import', { code: 2, stdout: '', stderr: "error: missing required argument 'file'\n" }],
  ])('answers %s without loading Nest or TypeORM', async (line, expected) => {
    expect(await runCli(WATCH_MODULES, ...line.split(' '))).toEqual(expected);
  });

  it('does not repeat a secret given instead of an id', async () => {
    const key = await service.issueKey();
    expect(refused(await service.keys('show', key))).not.toContain(key.slice(14));
  });

  it('reports each mistake in the environment in one line', async () => {
    const result = await runCli({ ...service.env, PORT: 'abc', LOG_LEVEL: 'loud' }, 'keys', 'list');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^PORT[^\n]+\nLOG_LEVEL[^\n]+\n$/);
  });
});

describe('database distribute', () => {
  it('refuses the embedded database, and does not open it', async () => {
    const { env } = await embedded.createUnmigrated();
    expect(refused(await runCommand(env, 'database', 'distribute'))).toBe(
      'Set DATABASE_URL: the embedded database cannot be distributed.\n',
    );
    expect(existsSync(env.DATA_DIR!)).toBe(false);
  });

  describeOnServer('on PostgreSQL', (kind) => {
    it('refuses a server without Citus, and creates nothing there', async () => {
      const database = await kind.createUnmigrated();
      const line = refused(await runCommand(database.env, 'database', 'distribute'));
      expect(line).toMatch(/^The database has no Citus: run /);
      expect(await onDatabase(database, `select from pg_class where relname = 'pets'`)).toEqual([]);
      await database.drop();
    });
  });
});
