import { encodeCursor } from '../src/common/paging/cursor.js';
import { cursorScope } from '../src/pets/cursor-scope.js';
import type { PetFilter } from '../src/pets/pet.js';
import { onServer, withDatabase } from './database.js';
import type { Row } from './report.js';
import { issueKey, median, startService, timedGet } from './support.js';

const LARGE = 5_000_000;
const SKEWED = 400_000;
const LIMIT = 100;
const ROUNDS = 9;
const REQUESTS_A_ROUND = 100;

/** The first page against the deepest, evenly mixed and with one sold animal; interleaved, medians of rounds. */
export async function measurePaging(serverUrl: string): Promise<Row[]> {
  return [
    ...(await onPets(serverUrl, LARGE, `(array['available','pending','sold'])[1 + n % 3]`, async (list) => {
      const [first, deepest] = await list([{}, 0n], [{}, BigInt(LARGE - LIMIT)]);
      const [firstSold, deepestSold] = await list(
        [{ status: 'sold' }, 0n],
        [{ status: 'sold' }, BigInt(LARGE - 3 * LIMIT)],
      );
      return [
        row('page 50,000 of 5,000,000 against page 1', deepest!, first!),
        row('deepest page of status=sold against its first, evenly mixed', deepestSold!, firstSold!),
      ];
    })),
    ...(await onPets(
      serverUrl,
      SKEWED,
      `case when n = ${SKEWED - 7} then 'sold' else 'available' end`,
      async (list) => {
        const [first, sold] = await list([{}, 0n], [{ status: 'sold' }, 0n]);
        return [row('status=sold, one among 400,000, against page 1 (100 animals)', sold!, first!)];
      },
    )),
  ];
}

type Page = [filter: PetFilter, afterId: bigint];
type Lister = (...pages: Page[]) => Promise<number[]>;

async function onPets(
  serverUrl: string,
  count: number,
  status: string,
  measure: (list: Lister) => Promise<Row[]>,
): Promise<Row[]> {
  return withDatabase(serverUrl, async (url) => {
    const env = { DATABASE_URL: url, LOG_LEVEL: 'warn' };
    const service = await startService({ ...env, LOG_LEVEL: 'info' });
    await onServer(
      url,
      `insert into pets (name, category_id, status) select 'Pet ' || n, n % 100, ${status} from generate_series(1, ${count}) n`,
      'vacuum analyze pets',
    );
    const headers = { authorization: `Bearer ${issueKey(env)}` };
    const rows = await measure((...pages) => medians(service.url, headers, pages));
    await service.stop();
    return rows;
  });
}

/** Milliseconds a request, per page; the pages take turns, so that the machine's moods hit all alike. */
async function medians(url: string, headers: Record<string, string>, pages: Page[]): Promise<number[]> {
  const samples = pages.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, [filter, afterId]] of pages.entries()) {
      const status = filter.status === undefined ? '' : `&status=${filter.status}`;
      const cursor = encodeCursor(cursorScope(filter), afterId);
      const target = `${url}/v1/pets?limit=${LIMIT}${status}&cursor=${cursor}`;
      for (let request = 0; request < REQUESTS_A_ROUND; request += 1) {
        const { ms, status: answered } = await timedGet(target, headers);
        if (answered !== 200) throw new Error(`${target} answered ${answered}`);
        if (round > 0) samples[index]!.push(ms);
      }
    }
  }
  return samples.map(median);
}

function row(what: string, ms: number, baseMs: number): Row {
  const ratio = (ms / baseMs).toFixed(2);
  return { what, measured: `${ms.toFixed(2)} ms : ${baseMs.toFixed(2)} ms = ${ratio}`, target: '≤ 1.20' };
}
