import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { printed, printedList, refused, runCli, runCommands } from '../support/command-line.js';
import { anyKind, onDatabase } from '../support/databases.js';
import { preload, watchModules } from '../support/preload.js';
import { sharedService } from '../support/service.js';

const WATCH_MODULES = preload(watchModules('node_modules.(@nestjs|typeorm)'));
/**
 * Refused commands. NAME is the option with the name of a new key, ID an existing key and NONE the id of none; `[a|b]` stands for
 * a and b in turn, and `_` for a space in an argument.
 */
const REFUSED = `
  keys
  keys unheard-of
  keys create
  keys create NAME
  keys create --plan free
  keys create --plan free --name
  keys create --plan free [--name=|--name=__|--name=a\u0007b|--name=a\u2028b|--name=a\ufffdb|--name=\u200b|--name=${'n'.repeat(256)}]
  keys create NAME --plan [gold|Free||constructor|enterprise]
  keys create NAME --plan free [--per-minute=5|--unheard-of|--name=another|--access=write|--access=|--access=Read|more]
  keys create NAME --plan free --access
  keys create NAME --plan pro --per-day 5
  keys create NAME --plan business --per-minute 1000 --per-day 100000
  keys create NAME --plan enterprise [--per-minute=5|--per-day=5]
  keys create NAME --plan enterprise --per-day=5 --per-minute=[0|-1|1.5|1e3|0x10||_5|2147483648|${'9'.repeat(30)}]
  keys create NAME --plan enterprise --per-minute=5 --per-day=[0|-1|many|2147483648]
  keys create NAME --plan free --expires-in=[0d|90|d|-1d|1.5h|90_d|90D|1w|90days||1d1h|9999999999d|${'9'.repeat(30)}s]
  keys rotate ID --overlap=[31d|1|1x|-1h|1.5h||1_h|99999999999d]
  keys create NAME --plan free [--reference=|--reference=__|--reference=${'r'.repeat(256)}|--access=]
  keys list [more|--plan=gold|--access=write|--state=gone|--limit=0|--limit=-1|--after=abc|--after=NONE|--q=|--name=x|--reference=]
  keys [show|revoke|rotate]
  keys [show|revoke|rotate] [|nonsense|NONE|ID_|{ID}]
  keys [show|revoke|rotate] ID [NONE|--unheard-of]
  keys set-expiry ID [|0d|90|Never|-1d|2026-12-01]
  keys set-expiry [nonsense|NONE] 90d
  keys set-plan ID [gold|enterprise]
  keys find [ID|--unheard-of]
  seed
  seed --pets
  seed --pets=1 [more|--unheard-of|--seed=-1|--seed=4294967296|--seed=x|--seed=]
  seed --pets=[0|-1|1.5|1e3||many|10000001|${'9'.repeat(30)}]
`;

/** The arguments of every command that a line stands for. */
function commandsOf(line: string, words: Record<string, string>): string[][] {
  const choice = /\[([^\]]*)\]/.exec(line);
  if (choice)
    return choice[1]!.split('|').flatMap((chosen) => commandsOf(line.replace(choice[0], chosen), words));
  const filled = line.replaceAll(/NAME|ID|NONE/g, (word) => words[word]!);
  return [filled.split(' ').map((argument) => argument.replaceAll('_', ' '))];
}

describe('a command with invalid input', () => {
  const service = sharedService(anyKind);

  it('prints one line on stderr, exits with 2 and changes nothing', async () => {
    const created = await service.keys(...'create --name kept --plan free --json'.split(' '));
    const id = printed(created).id as string;
    // Other test files issue keys too, so the name shows whether a refused command has created one.
    const name = `refused-${randomUUID()}`;
    const words = { NAME: `--name=${name}`, ID: id, NONE: randomUUID() };
    const cases = REFUSED.trim()
      .split(/\n */)
      .flatMap((line) => commandsOf(line, words));
    cases.push(
      ['keys', 'create', '--name=a\nb', '--plan', 'free'],
      ['keys', 'create', words.NAME, '--plan', '__proto__'],
    );
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
    [
      'dump x',
      {
        code: 2,
        stdout: '',
        stderr: "error: too many arguments for 'dump'. Expected 0 arguments but got 1: x.\n",
      },
    ],
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
