import OrdersIcon from '@mui/icons-material/ReceiptLong';
import { Button } from '@mui/material';
import { FilterButton, TextInput, TopToolbar } from 'react-admin';
import { Link } from 'react-router-dom';
import { may } from '../session/session';
import { ConsoleList, type Column } from '../shared/console-list';
import { Empty } from '../shared/empty';
import { FilterChips } from '../shared/filter-chips';
import { StatusChip } from '../shared/status-chip';
import { Distance } from '../shared/time';
import { verbsFor, type OrderRecord } from './actions';
import { BulkOrderButtons } from './bulk-buttons';
import { AnimalName, PartnerName } from './names';
import { OrderButtons } from './order-buttons';
import { PartnerInput } from './partner-input';

const STATUSES = [
  { value: undefined, label: 'All' },
  { value: 'placed', label: 'Waiting' },
  { value: 'approved', label: 'To deliver' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'expired', label: 'Expired' },
] as const;

const digits = (text: string) => text.replace(/[^\d-]/g, '');

function filtersOf() {
  return [
    <TextInput key="reference" source="reference" label="Reference, exactly" alwaysOn resettable />,
    <TextInput key="id" source="id" label="Order number" parse={digits} />,
    ...(may('manage')
      ? [
          <TextInput key="petId" source="petId" label="Animal number" parse={digits} />,
          <PartnerInput key="keyId" source="keyId" label="Partner" />,
        ]
      : []),
  ];
}

const columns = (): Column<OrderRecord>[] => [
  { label: 'Order', render: ({ id }) => id },
  { label: 'Animal', render: ({ petId }) => <AnimalName id={petId} /> },
  ...(may('manage')
    ? [{ label: 'Partner', render: ({ keyId }: OrderRecord) => <PartnerName keyId={keyId} /> }]
    : []),
  { label: 'Reference', render: ({ reference }) => reference ?? '–', onlyWide: true },
  { label: 'Status', render: ({ status }) => <StatusChip status={status} /> },
  { label: 'Placed', render: ({ createdAt }) => <Distance value={createdAt} /> },
  { label: 'Hold ends', render: ({ expiresAt }) => <Distance value={expiresAt} />, onlyWide: true },
];

/** The orders that the key sees, newest first: the store's queue, or a partner's own. */
export const OrderList = () => (
  <ConsoleList<OrderRecord>
    title={may('manage') ? 'Orders' : 'My orders'}
    nameOf={({ id }) => `order ${String(id)}`}
    columns={columns()}
    linkOf={({ id }) => `/orders/${String(id)}/show`}
    card={{
      title: ({ petId, id }) => (
        <>
          {id} · <AnimalName id={petId} />
        </>
      ),
      aside: ({ status }) => <StatusChip status={status} />,
      lines: ({ keyId, reference, createdAt, expiresAt }) => [
        ...(may('manage') ? [<PartnerName key="partner" keyId={keyId} />] : []),
        ...(reference ? [`Reference ${reference}`] : []),
        <>
          Placed <Distance value={createdAt} />
          {expiresAt && (
            <>
              , hold ends <Distance value={expiresAt} />
            </>
          )}
        </>,
      ],
    }}
    rowActions={(order) => <OrderButtons order={order} />}
    isSelectable={({ status }) => verbsFor(status).length > 0}
    bulkActions={<BulkOrderButtons />}
    filters={filtersOf()}
    chips={<FilterChips label="Status" source="status" choices={STATUSES} />}
    actions={
      <TopToolbar>
        <FilterButton disableSaveQuery />
      </TopToolbar>
    }
    empty={
      <Empty
        icon={OrdersIcon}
        title="No orders yet"
        action={
          <Button component={Link} to="/animals" variant="contained">
            See the animals
          </Button>
        }
      >
        {may('manage') ? 'The orders of all partners appear here.' : 'Order an animal and follow it here.'}
      </Empty>
    }
  />
);
