import { Link as MuiLink, Stack } from '@mui/material';
import { Show, Title, useRecordContext } from 'react-admin';
import { Link } from 'react-router-dom';
import { may } from '../session/session';
import { DetailProblem } from '../shared/detail-problem';
import { Facts, Section } from '../shared/section';
import { StatusChip } from '../shared/status-chip';
import { Time } from '../shared/time';
import { BackLink } from '../shared/back-link';
import type { OrderRecord } from './actions';
import { AnimalName, PartnerName } from './names';
import { OrderButtons } from './order-buttons';

/** One order. */
export const OrderView = () => (
  <Show
    actions={<BackLink to="/orders">All orders</BackLink>}
    title={false}
    component="div"
    error={<DetailProblem />}
    queryOptions={{ onError: () => undefined, refetchInterval: 15_000 }}
  >
    <OrderDetails />
  </Show>
);

function OrderDetails() {
  const order = useRecordContext<OrderRecord>();
  if (!order) return null;
  const { id, petId, keyId, reference, status, expiresAt, createdAt, updatedAt } = order;
  return (
    <>
      <Title title={`Order ${String(id)}`} />
      <Section title={`Order ${String(id)}`} actions={<StatusChip status={status} />} maxWidth={720}>
        <Facts
          facts={[
            [
              'Animal',
              <MuiLink component={Link} to={`/animals/${String(petId)}${may('manage') ? '' : '/show'}`}>
                <AnimalName id={petId} />
              </MuiLink>,
            ],
            [
              'Partner',
              may('admin') ? (
                <MuiLink component={Link} to={`/keys/${keyId}/show`}>
                  <PartnerName keyId={keyId} />
                </MuiLink>
              ) : (
                <PartnerName keyId={keyId} />
              ),
            ],
            ['Reference', reference ?? 'none'],
            ['Placed', <Time value={createdAt} relative />],
            ['Last change', <Time value={updatedAt} relative />],
            ...(expiresAt
              ? [['Held until', <Time value={expiresAt} relative />] as [string, React.ReactNode]]
              : []),
          ]}
        />
        <Stack direction="row" spacing={1} sx={{ mt: 2, flexWrap: 'wrap', '&:empty': { display: 'none' } }}>
          <OrderButtons order={order} size="medium" />
        </Stack>
      </Section>
    </>
  );
}
