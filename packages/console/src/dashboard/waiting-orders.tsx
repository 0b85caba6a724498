import { useQuery } from '@tanstack/react-query';
import { recordOf } from '../api/records';
import type { OrderRecord } from '../orders/actions';
import { AnimalName, PartnerName } from '../orders/names';
import { client, may } from '../session/session';
import { filtered, ShortList } from '../shared/short-list';
import { Distance } from '../shared/time';

const SHOWN = 5;
const MOST_COUNTED = 100;

/** The orders in a state that waits for somebody: the oldest, which end first. */
export function OrdersThatWait({ status }: { status: 'placed' | 'approved' }) {
  const query = useQuery({
    queryKey: ['orders', 'waiting', status],
    queryFn: async () => {
      const { items, nextCursor } = await client().listOrders({ status, limit: MOST_COUNTED });
      return { orders: items.map((item): OrderRecord => recordOf(item)), hasMore: nextCursor !== undefined };
    },
  });
  const { orders, hasMore } = query.data ?? {};
  const count = orders === undefined ? '' : `: ${String(orders.length)}${hasMore ? '+' : ''}`;
  const title = status === 'placed' ? 'Waiting for approval' : 'To deliver';
  return (
    <ShortList
      title={`${title}${count}`}
      query={{ ...query, data: orders?.slice(0, SHOWN) }}
      empty={status === 'placed' ? 'No order waits.' : 'Nothing is to be delivered.'}
      all={{ to: filtered('orders', { status }), label: 'Show all' }}
      row={({ id, petId, keyId, reference, createdAt, expiresAt }) => ({
        id,
        to: `/orders/${String(id)}/show`,
        primary: (
          <>
            {id} · <AnimalName id={petId} />
          </>
        ),
        secondary: (
          <>
            {may('manage') && (
              <>
                <PartnerName keyId={keyId} />,{' '}
              </>
            )}
            {reference && `${reference}, `}
            {expiresAt ? 'ends ' : 'placed '}
            <Distance value={expiresAt ?? createdAt} />
          </>
        ),
      })}
    />
  );
}
