import { useQuery } from '@tanstack/react-query';
import type { ListKeysQuery } from 'animal-store-client';
import { recordOf } from '../api/records';
import type { KeyRecord } from '../keys/key-record';
import { client } from '../session/session';
import { filtered, ShortList } from '../shared/short-list';
import { DAY_MS, Distance } from '../shared/time';

const SHOWN = 5;
const SOON_MS = 14 * DAY_MS;
/** The list of keys has no filter by end, so this many are read, newest first. */
const MOST_READ = 500;
const PAGE = 100;

async function activeKeys(): Promise<KeyRecord[]> {
  const read: KeyRecord[] = [];
  const query: ListKeysQuery = { state: 'active', limit: PAGE };
  for await (const key of client().keys(query)) if (read.push(recordOf(key)) >= MOST_READ) break;
  return read;
}

/** The keys that end within 14 days, the first to end first. */
export function KeysThatEnd() {
  const query = useQuery({
    queryKey: ['keys', 'ending'],
    queryFn: async () => {
      const keys = await activeKeys();
      const ends = ({ expiresAt }: KeyRecord) => (expiresAt === null ? Infinity : Date.parse(expiresAt));
      const ending = keys
        .filter((key) => ends(key) < Date.now() + SOON_MS)
        .toSorted((a, b) => ends(a) - ends(b));
      return { ending: ending.slice(0, SHOWN), isPart: keys.length >= MOST_READ };
    },
    staleTime: 60_000,
  });
  const isPart = query.data?.isPart ?? false;
  return (
    <ShortList
      title="Keys that end soon"
      query={{ ...query, data: query.data?.ending }}
      empty={`No ${isPart ? `key of ${String(MOST_READ)} that were looked at` : 'key'} ends within 14 days.`}
      all={{ to: '/keys', label: 'All keys' }}
      row={({ id, name, expiresAt }) => ({
        id,
        to: `/keys/${id}/show`,
        primary: name,
        secondary: (
          <>
            ends <Distance value={expiresAt} />
          </>
        ),
      })}
    />
  );
}

/** The keys that are banned now. */
export function RefusedKeys() {
  const query = useQuery({
    queryKey: ['keys', 'banned'],
    queryFn: async () => {
      const { items } = await client().listKeys({ state: 'banned', limit: SHOWN });
      return items.map((item): KeyRecord => recordOf(item));
    },
  });
  return (
    <ShortList
      title="Who is refused"
      query={query}
      empty="No key is banned."
      all={{ to: filtered('keys', { state: 'banned' }), label: 'Show all' }}
      row={({ id, name, bannedUntil }) => ({
        id,
        to: `/keys/${id}/show`,
        primary: name,
        secondary: (
          <>
            banned, ends <Distance value={bannedUntil} />
          </>
        ),
      })}
    />
  );
}
