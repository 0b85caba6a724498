import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Takes each feature out of a copy of the tree, builds what is left, starts it and lists the animals: `tsx scripts/without-features.ts`,
 * or only the features that are named. The changes of other files are all that ties them to the feature.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The demo key of a first start. */
const SECRET = /\bask_\w{49}\b/;

/** What goes from a file, found once, and what comes in its place. */
type Change = readonly [gone: string | RegExp, instead?: string];

interface Feature {
  folders: string[];
  /** An address that nothing answers at without the feature. */
  path: string;
  /** All that ties the rest of `src` to the feature, by file. */
  ties: Record<string, Change[]>;
}

const WEBHOOKS: Feature = {
  folders: ['webhooks'],
  path: '/v1/webhooks',
  ties: {
    'app.module.ts': [importOf('WebhooksModule'), [', WebhooksModule]', ']']],
    'app.setup.ts': [importOf('SENT_EVENTS'), [/document\.paths.*SENT_EVENTS } : document/, 'document']],
  },
};

const FEATURES: Record<string, Feature> = {
  webhooks: WEBHOOKS,
  'events and webhooks': {
    folders: ['events', 'webhooks'],
    path: '/v1/events',
    ties: {
      ...WEBHOOKS.ties,
      'app.module.ts': [
        importOf('WebhooksModule'),
        importOf('EventsModule'),
        [/, \.\.\.\(config\.events.*\)/],
      ],
    },
  },
  store: {
    folders: ['store'],
    path: '/v1/store/inventory',
    ties: {
      'app.module.ts': [importOf('StoreModule'), [/^ *StoreModule,\n/m]],
      // The feed keeps what happened to orders, and shows it as it is.
      'events/event-view.ts': [importOf('OrderDto'), [/^.*type\.startsWith\('order\.'\).*\n/m]],
      'events/dto/events.dto.ts': [
        importOf('OrderDto'),
        ['type: OrderDto,', `type: 'object', additionalProperties: true,`],
        ['data!: OrderDto;', 'data!: object;'],
      ],
      'commands/with-service.ts': [
        importOf('OpenOrders'),
        importOf('OpenOrdersModule'),
        [/^ *orders: OpenOrders;\n/m],
        [', OpenOrdersModule]', ']'],
        [/^ *orders: app\.get\(OpenOrders\),\n/m],
      ],
      'commands/keys.command.ts': [
        [', views, orders }', ', views }'],
        [/^ *const openOrders = [^}]*?openOrders}`?\\n`\);\n/m],
      ],
    },
  },
  usage: {
    folders: ['rate-limit/usage'],
    path: '/v1/usage',
    ties: {
      'rate-limit/rate-limit.module.ts': [
        importOf('UsageModule'),
        importOf('UsageService'),
        [/^ *UsageModule,\n/m],
        [', UsageService, Metrics]', ', Metrics]'],
      ],
      'rate-limit/rate-limit.service.ts': [
        importOf('UsageService'),
        [/^ *private readonly usage: .*\n/m],
        [/^ *this\.usage\.record\(.*\n/m],
        // What was counted of deprecated operations was usage.
        [', isDeprecated = false)', ', _isDeprecated = false)'],
      ],
      'rate-limit/create-limiter.ts': [
        importOf('UsageService'),
        [/^ *usage: UsageService,\n/m],
        [/^ *loadDailyCount: .*\n/m],
        ['{ type Clock, utcDay }', '{ type Clock }'],
      ],
      'keys/key-views.module.ts': [
        importOf('KeyUseModule'),
        ['imports: [AuthModule, KeyUseModule]', 'imports: [AuthModule]'],
        ['[AuthModule, KeyUseModule, KeyViews]', '[AuthModule, KeyViews]'],
      ],
      'keys/key-views.ts': [
        importOf('KeyUse'),
        [/^ *private readonly use: .*\n/m],
        ['await this.use.lastUses(keys.map(({ id }) => id));', 'new Map<string, Date>();'],
        ['await this.use.lastUses([id]);', 'new Map<string, Date>();'],
        [/^ *const condition =[^;]*;\n/m],
        ['reference, condition, order };', 'reference, order };'],
        ['reference, usesDeprecated, order }', 'reference, order }'],
      ],
    },
  },
};

/** The import of one name, on one line. */
function importOf(name: string): Change {
  return [new RegExp(`^import (type )?{ ${name} } from .*\\n`, 'm')];
}

const asked = process.argv.slice(2);
/** One for all features, because a compilation after another one is quick. */
const copy = mkdtempSync(join(tmpdir(), 'animal-store-without-'));
try {
  for (const part of [
    'packages',
    'docs',
    'package.json',
    'nest-cli.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ])
    copyInto(copy, part);
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const [name, feature] of Object.entries(FEATURES))
    if (asked.length === 0 || asked.includes(name)) await without(name, feature);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function without(name: string, { folders, path, ties }: Feature): Promise<void> {
  rmSync(join(copy, 'src'), { recursive: true, force: true });
  copyInto(copy, 'src');
  for (const tree of ['src', 'dist'])
    for (const folder of folders)
      rmSync(join(copy, tree, folder), { recursive: true, force: tree === 'dist' });
  for (const [file, changes] of Object.entries(ties)) {
    const place = join(copy, 'src', file);
    const text = readFileSync(place, 'utf8');
    writeFileSync(
      place,
      changes.reduce((rest, change) => apply(rest, change, file), text),
    );
  }
  execFileSync('npx', ['--no', 'nest', 'build'], { cwd: copy, stdio: 'inherit' });
  await startAndAsk(path);
  const count = Object.values(ties).flat().length;
  console.log(`without ${name}: ${count} places in ${Object.keys(ties).length} files; the rest runs`);
}

/** Packages come with what `npm run build` has made, and without their tools. */
function copyInto(folder: string, part: string): void {
  cpSync(join(ROOT, part), join(folder, part), {
    recursive: true,
    filter: (source) => !source.includes('node_modules'),
  });
}

function apply(text: string, [gone, instead = '']: Change, file: string): string {
  const found = typeof gone === 'string' ? text.split(gone).length - 1 : text.match(gone) ? 1 : 0;
  if (found !== 1) throw new Error(`src/${file}: expected once: ${String(gone)}`);
  return text.replace(gone, () => instead);
}

async function startAndAsk(path: string): Promise<void> {
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const service = spawn('node', ['dist/main.js'], {
    cwd: copy,
    env: { PATH, HOME, PORT: String(port), DATA_DIR: mkdtempSync(join(copy, 'data-')) },
  });
  const ended = once(service, 'close');
  let output = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [service.stdout, service.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (SECRET.test(output) && /"msg":"ready"|\bready\b/.test(output)) resolve();
      });
  });
  const endedEarly = ended.then(() => Promise.reject(new Error(`the service has ended:\n${output}`)));
  try {
    await Promise.race([ready, endedEarly]);
    const [key = ''] = SECRET.exec(output) ?? [];
    const call = (at: string) =>
      fetch(`http://127.0.0.1:${port}${at}`, { headers: { authorization: `Bearer ${key}` } });
    const statuses = [(await call('/v1/pets')).status, (await call(path)).status];
    if (statuses.join() !== '200,404') throw new Error(`/v1/pets, ${path}: ${statuses.join()}\n${output}`);
  } finally {
    endedEarly.catch(() => undefined);
    service.kill();
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
