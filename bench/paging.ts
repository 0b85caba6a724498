import { encodeCursor, SORT_ORDERS } from '../src/platform/common/paging.js';
import { cursorScope } from '../src/pets/pets.service.js';
import type { PetFilter } from '../src/pets/list-pets.statement.js';
import { onServer, withDatabase } from './database.js';
import type { Row } from './report.js';
import { issueKey, median, startService, timedGet } from './support.js';

const LARGE = 5_000_000;
const SMALL = 1_000;
const SKEWED = 400_000;
const MIXED = `(array['available','pending','sold'])[1 + n % 3]`;
const ONE_SOLD = `case when n = ${SKEWED - 7} then 'sold' else 'available' end`;
const LIMIT = 20;
const ROUNDS = 9;
const REQUESTS_A_ROUND = 50;
const IDS = Array.from({ length: LIMIT }, (_, index) => BigInt(index + 1));

/** The filters of a list, each with the share of matching animals. Pages are full in both shops. Ids have one page only. */
const FILTERS: { what: string; filter: PetFilter; oneOf?: number }[] = [
  { what: 'no filter', filter: {}, oneOf: 1 },
  { what: 'status', filter: { status: 'sold' }, oneOf: 3 },
  { what: 'category', filter: { categoryId: 7n }, oneOf: 10 },
  { what: 'category and status', filter: { categoryId: 7n, status: 'sold' }, oneOf: 30 },
  { what: 'ids', filter: { ids: IDS } },
];

/** Compares pages of five million animals to pages of a thousand, and finds one sold animal among many; medians of rounds. */
export async function measurePaging(serverUrl: string): Promise<Row[]> {
  return [...(await measureSizes(serverUrl)), await measureSkew(serverUrl)];
}

function measureSizes(serverUrl: string): Promise<Row[]> {
  return withShop(serverUrl, SMALL, MIXED, (small) =>
    withShop(serverUrl, LARGE, MIXED, async (large) => {
      const pages = FILTERS.flatMap(({ what, filter, oneOf }) =>
        SORT_ORDERS.flatMap((order) => pagesOf(`${what}, ${order}`, { ...filter, order }, oneOf)),
      );
      const ms = await medians(
        pages.flatMap(({ filter, behind }) =>
          [large, small].map((shop) => ({ shop, filter, afterId: BigInt(behind(shop)) })),
        ),
      );
      return pages.map(({ what }, index) =>
        row(`${what}: 5,000,000 animals against 1,000`, ms[2 * index]!, ms[2 * index + 1]!),
      );
    }),
  );
}

interface Measured {
  what: string;
  filter: PetFilter;
  /** The id that the page follows. */
  behind: (shop: Shop) => number;
}

/** The first page of a list and its last full one. `oneOf`: the share of matching animals; undefined: ids, which have one page. */
function pagesOf(what: string, filter: PetFilter, oneOf: number | undefined): Measured[] {
  const isAscending = filter.order !== 'desc';
  const first = {
    what: `${what}, first page`,
    filter,
    behind: ({ count }: Shop) => (isAscending ? 0 : count + 1),
  };
  if (oneOf === undefined) return [first];
  // Somewhat more than a page is left, because the last animals may not match.
  const left = (LIMIT + 1) * oneOf;
  const behind = ({ count }: Shop) => (isAscending ? count - left : left);
  return [first, { what: `${what}, deepest page`, filter, behind }];
}

function measureSkew(serverUrl: string): Promise<Row> {
  return withShop(serverUrl, SKEWED, ONE_SOLD, async (shop) => {
    const [sold, first] = await medians([
      { shop, filter: { status: 'sold' }, afterId: 0n },
      { shop, filter: {}, afterId: 0n },
    ]);
    return row('status=sold, one among 400,000, against a full first page', sold!, first!);
  });
}

interface Shop {
  count: number;
  url: string;
  headers: Record<string, string>;
}

/** A service and its animals in a separate database. */
function withShop<Result>(
  serverUrl: string,
  count: number,
  status: string,
  measure: (shop: Shop) => Promise<Result>,
): Promise<Result> {
  return withDatabase(serverUrl, async (url) => {
    const env = { DATABASE_URL: url, LOG_LEVEL: 'warn' };
    const service = await startService({ ...env, LOG_LEVEL: 'info' });
    await onServer(
      url,
      // Without triggers: millions of animals would be millions of events.
      'set session_replication_role = replica',
      `insert into pets (name, category_id, status) select 'Pet ' || n, n % 10, ${status} from generate_series(1, ${count}) n`,
      'vacuum analyze pets',
    );
    const headers = { authorization: `Bearer ${issueKey(env)}` };
    const result = await measure({ count, url: service.url, headers });
    await service.stop();
    return result;
  });
}

/** Milliseconds per request of each page. The pages take turns, so that other load on the machine affects all alike. */
async function medians(pages: { shop: Shop; filter: PetFilter; afterId: bigint }[]): Promise<number[]> {
  const samples = pages.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { shop, filter, afterId }] of pages.entries()) {
      const query = Object.entries(filter).map(([name, value]) => `&${name}=${String(value)}`);
      const cursor = encodeCursor(cursorScope(filter), afterId);
      const target = `${shop.url}/v1/pets?limit=${LIMIT}&cursor=${cursor}${query.join('')}`;
      for (let request = 0; request < REQUESTS_A_ROUND; request += 1) {
        const { ms, status: answered } = await timedGet(target, shop.headers);
        if (answered !== 200) throw new Error(`${target} answered ${answered}`);
        if (round > 0) samples[index]!.push(ms);
      }
    }
  }
  return samples.map(median);
}

function row(what: string, ms: number, baseMs: number): Row {
  const ratio = ms / baseMs;
  const measured = `${ms.toFixed(2)} ms : ${baseMs.toFixed(2)} ms = ${ratio.toFixed(2)}`;
  return { what, measured, target: '≤ 1.20', isMet: ratio <= 1.2 };
}
