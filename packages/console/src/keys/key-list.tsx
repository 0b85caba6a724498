import AddIcon from '@mui/icons-material/Add';
import KeyIcon from '@mui/icons-material/VpnKey';
import { Button } from '@mui/material';
import { FilterButton, SelectInput, TextInput, TopToolbar } from 'react-admin';
import { Link } from 'react-router-dom';
import { ConsoleList, type Column } from '../shared/console-list';
import { Empty } from '../shared/empty';
import { FilterChips } from '../shared/filter-chips';
import { StatusChip } from '../shared/status-chip';
import { Distance } from '../shared/time';
import type { KeyRecord } from './key-record';

const STATES = [
  { value: undefined, label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'banned', label: 'Banned' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
] as const;

const choices = (...ids: string[]) => ids.map((id) => ({ id, name: id }));

/** Of a secret that is pasted into the search only this many characters, its prefix, leave the field. */
const PREFIX_LENGTH = 12;
export const withoutSecret = (text: string) =>
  text.replace(/ask_[0-9A-Za-z]{9,}/g, (secret) => secret.slice(0, PREFIX_LENGTH));

const filters = [
  <TextInput
    key="q"
    source="q"
    label="Name, reference or key"
    parse={withoutSecret}
    alwaysOn
    resettable
    slotProps={{ htmlInput: { autoComplete: 'off', spellCheck: false, maxLength: 255 } }}
  />,
  <SelectInput
    key="plan"
    source="plan"
    label="Plan"
    choices={choices('free', 'pro', 'business', 'enterprise')}
  />,
  <SelectInput
    key="access"
    source="access"
    label="Access"
    choices={choices('read', 'order', 'manage', 'admin')}
  />,
  <SelectInput
    key="usesDeprecated"
    source="usesDeprecated"
    label="Calls what is deprecated"
    choices={[{ id: 'true', name: 'in the last 30 days' }]}
  />,
];

const columns: Column<KeyRecord>[] = [
  { label: 'Name', render: ({ name }) => name },
  { label: 'Reference', render: ({ reference }) => reference ?? '–' },
  { label: 'Begins with', render: ({ prefix }) => prefix, onlyWide: true },
  { label: 'Access', render: ({ access }) => access },
  { label: 'Plan', render: ({ plan }) => plan },
  { label: 'State', render: ({ state }) => <StatusChip status={state} /> },
  { label: 'Ends', render: ({ expiresAt }) => <Distance value={expiresAt} empty="never" /> },
  {
    label: 'Last used',
    render: ({ lastUsedAt }) => <Distance value={lastUsedAt} empty="never" />,
    onlyWide: true,
  },
];

const IssueButton = () => (
  <Button component={Link} to="/keys/create" startIcon={<AddIcon />} size="small">
    Issue a key
  </Button>
);

/** The keys of partners and staff, newest first. */
export const KeyList = () => (
  <ConsoleList<KeyRecord>
    title="Keys"
    nameOf={({ name }) => name}
    columns={columns}
    linkOf={({ id }) => `/keys/${id}/show`}
    card={{
      title: ({ name }) => name,
      aside: ({ state }) => <StatusChip status={state} />,
      lines: ({ access, plan, reference, expiresAt, lastUsedAt }) => [
        `${access}, ${plan}${reference ? `, ${reference}` : ''}`,
        <>
          Ends <Distance value={expiresAt} empty="never" />, last used{' '}
          <Distance value={lastUsedAt} empty="never" />
        </>,
      ],
    }}
    filters={filters}
    chips={<FilterChips label="State" source="state" choices={STATES} />}
    actions={
      <TopToolbar>
        <FilterButton disableSaveQuery />
        <IssueButton />
      </TopToolbar>
    }
    empty={
      <Empty icon={KeyIcon} title="No keys yet" action={<IssueButton />}>
        A partner gets a key of its own, with what it may do and how often.
      </Empty>
    }
  />
);
