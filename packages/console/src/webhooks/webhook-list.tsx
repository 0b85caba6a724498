import AddIcon from '@mui/icons-material/Add';
import WebhookIcon from '@mui/icons-material/Webhook';
import { Button } from '@mui/material';
import { TopToolbar } from 'react-admin';
import { Link } from 'react-router-dom';
import { PartnerName } from '../orders/names';
import { may } from '../session/session';
import { ConsoleList, type Column } from '../shared/console-list';
import { Empty } from '../shared/empty';
import { StatusChip } from '../shared/status-chip';
import { Distance } from '../shared/time';
import { stateSentence, typesWords, type WebhookRecord } from './webhook-record';

const columns = (): Column<WebhookRecord>[] => [
  { label: 'Address', render: ({ url }) => <span style={{ overflowWrap: 'anywhere' }}>{url}</span> },
  ...(may('admin')
    ? [{ label: 'Partner', render: ({ keyId }: WebhookRecord) => <PartnerName keyId={keyId} /> }]
    : []),
  { label: 'Events', render: ({ types }) => typesWords(types), onlyWide: true },
  { label: 'State', render: (webhook) => <State webhook={webhook} /> },
  { label: 'Last attempt', render: ({ lastAttemptAt }) => <Distance value={lastAttemptAt} empty="never" /> },
];

const State = ({ webhook }: { webhook: WebhookRecord }) => (
  <StatusChip
    status={webhook.status === 'active' && webhook.failingSince !== null ? 'failing' : webhook.status}
  />
);

const AddButton = () => (
  <Button component={Link} to="/webhooks/create" startIcon={<AddIcon />} size="small">
    Add a webhook
  </Button>
);

/** The addresses that events are sent to, newest first. */
export const WebhookList = () => (
  <ConsoleList<WebhookRecord>
    title="Webhooks"
    nameOf={({ url }) => url}
    columns={columns()}
    linkOf={({ id }) => `/webhooks/${id}/show`}
    card={{
      title: ({ url }) => <span style={{ overflowWrap: 'anywhere' }}>{url}</span>,
      aside: (webhook) => <State webhook={webhook} />,
      lines: (webhook) => [
        ...(may('admin') ? [<PartnerName key="partner" keyId={webhook.keyId} />] : []),
        stateSentence(webhook),
      ],
    }}
    actions={
      <TopToolbar>
        <AddButton />
      </TopToolbar>
    }
    empty={
      <Empty icon={WebhookIcon} title="No webhooks yet" action={<AddButton />}>
        What happens is sent to your address at once, in order, until it has arrived.
      </Empty>
    }
  />
);
