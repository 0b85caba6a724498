import AddIcon from '@mui/icons-material/Add';
import PetsIcon from '@mui/icons-material/Pets';
import UploadIcon from '@mui/icons-material/UploadFile';
import { Button } from '@mui/material';
import { FilterButton, TextInput, TopToolbar } from 'react-admin';
import { Link } from 'react-router-dom';
import { may } from '../session/session';
import { ConsoleList, type Column } from '../shared/console-list';
import { Empty } from '../shared/empty';
import { FilterChips } from '../shared/filter-chips';
import { StatusChip } from '../shared/status-chip';
import type { AnimalRecord } from './animal-form';
import { OrderAnimalButton } from './order-animal-button';

const STATUSES = [
  { value: undefined, label: 'All' },
  { value: 'available', label: 'Available' },
  { value: 'pending', label: 'Pending' },
  { value: 'sold', label: 'Sold' },
] as const;

const digits = (text: string) => text.replace(/[^\d-]/g, '');

const filters = [
  <TextInput key="id" source="id" label="Animal number" parse={digits} alwaysOn resettable />,
  <TextInput key="categoryId" source="categoryId" label="Category" parse={digits} />,
];

const columns: Column<AnimalRecord>[] = [
  { label: 'Number', render: ({ id }) => id },
  { label: 'Name', render: ({ name }) => name },
  { label: 'Category', render: ({ categoryId }) => categoryId },
  { label: 'Status', render: ({ status }) => <StatusChip status={status} /> },
];

const Buttons = () => (
  <>
    <Button component={Link} to="/animals/create" startIcon={<AddIcon />} size="small">
      Add
    </Button>
    <Button component={Link} to="/animals/import" startIcon={<UploadIcon />} size="small">
      Import
    </Button>
  </>
);

/** The animals: the store's stock, or the catalogue to order from. */
export const AnimalList = () => (
  <ConsoleList<AnimalRecord>
    title="Animals"
    nameOf={({ name }) => name}
    columns={columns}
    linkOf={({ id }) => `/animals/${String(id)}${may('manage') ? '' : '/show'}`}
    card={{
      title: ({ name }) => name,
      aside: ({ status }) => <StatusChip status={status} />,
      lines: ({ id, categoryId }) => [`Number ${String(id)}, category ${String(categoryId)}`],
    }}
    {...(may('order') && { rowActions: (animal: AnimalRecord) => <OrderAnimalButton animal={animal} /> })}
    filters={filters}
    chips={<FilterChips label="Status" source="status" choices={STATUSES} />}
    actions={
      <TopToolbar>
        <FilterButton disableSaveQuery />
        {may('manage') && <Buttons />}
      </TopToolbar>
    }
    empty={
      <Empty icon={PetsIcon} title="No animals yet" action={may('manage') && <Buttons />}>
        {may('manage')
          ? 'Add the first animal, or import a file with many.'
          : 'The store has not added any animal yet.'}
      </Empty>
    }
  />
);
