import { Button, Stack, Typography } from '@mui/material';
import { useState } from 'react';
import {
  Create,
  SaveButton,
  SimpleForm,
  Title,
  Toolbar,
  useDataProvider,
  useNotify,
  useRecordContext,
  useRedirect,
  type RaRecord,
} from 'react-admin';
import { useFormContext } from 'react-hook-form';
import { Link } from 'react-router-dom';
import { BackLink } from '../shared/back-link';
import { ConflictEdit } from '../shared/conflict-edit';
import { Confirm } from '../shared/confirm';
import { StatusChip } from '../shared/status-chip';
import { AnimalFields, LABELS, type AnimalRecord } from './animal-form';

/** The form of one animal. */
export const AnimalEdit = () => (
  <ConflictEdit
    resource="animals"
    labels={LABELS}
    saved={({ name }) => `${String(name)} is saved.`}
    after={() => '/animals'}
    actions={<BackLink to="/animals">All animals</BackLink>}
  >
    <SimpleForm toolbar={<EditToolbar />} warnWhenUnsavedChanges noValidate>
      <Heading />
      <AnimalFields />
    </SimpleForm>
  </ConflictEdit>
);

function Heading() {
  const animal = useRecordContext<AnimalRecord>();
  if (!animal) return null;
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', mb: 1, width: '100%' }}>
      <Title title={animal.name} />
      <Typography variant="h2" sx={{ flex: 1 }}>
        Animal {animal.id}
      </Typography>
      <StatusChip status={animal.status} />
      <Button
        component={Link}
        to={`/orders?filter=${encodeURIComponent(JSON.stringify({ petId: String(animal.id) }))}`}
      >
        Its orders
      </Button>
    </Stack>
  );
}

const EditToolbar = () => (
  <Toolbar sx={{ justifyContent: 'space-between' }}>
    <SaveButton alwaysEnable label="Save" />
    <DeleteButton />
  </Toolbar>
);

function DeleteButton() {
  const animal = useRecordContext<AnimalRecord>();
  const [isAsked, setAsked] = useState(false);
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const redirect = useRedirect();
  if (!animal) return null;
  async function remove({ id, name }: AnimalRecord) {
    await dataProvider.delete('animals', { id });
    notify(`${name} is deleted.`, { type: 'success' });
    redirect('/animals');
  }
  return (
    <>
      <Button color="error" onClick={() => setAsked(true)}>
        Delete
      </Button>
      {isAsked && (
        <Confirm
          title={`Delete ${animal.name}?`}
          action="Delete"
          danger
          onConfirm={() => remove(animal)}
          onClose={() => setAsked(false)}
        >
          The animal is gone for good. Its closed orders stay.
        </Confirm>
      )}
    </>
  );
}

/** The form for a new animal. */
export function AnimalCreate() {
  const sayAdded = useSayAdded();
  const redirect = useRedirect();
  return (
    <Create
      title="Add an animal"
      actions={<BackLink to="/animals">All animals</BackLink>}
      redirect={false}
      sx={{ maxWidth: 720 }}
      mutationOptions={{
        onSuccess: (record: RaRecord) => {
          sayAdded(record);
          redirect('/animals');
        },
      }}
    >
      <SimpleForm toolbar={<CreateToolbar />} warnWhenUnsavedChanges noValidate>
        <AnimalFields />
      </SimpleForm>
    </Create>
  );
}

function useSayAdded() {
  const notify = useNotify();
  return ({ id, name }: RaRecord) =>
    notify(`${String(name)} is added: animal ${String(id)}.`, { type: 'success' });
}

function CreateToolbar() {
  const sayAdded = useSayAdded();
  const { reset, getValues, setFocus } = useFormContext();
  return (
    <Toolbar sx={{ gap: 1, flexWrap: 'wrap' }}>
      <SaveButton alwaysEnable label="Add" />
      <SaveButton
        alwaysEnable
        label="Add, and another"
        variant="text"
        type="button"
        mutationOptions={{
          onSuccess: (record: RaRecord) => {
            sayAdded(record);
            const { categoryId } = getValues() as { categoryId: unknown };
            reset({ name: '', categoryId, status: 'available' });
            setFocus('name');
          },
        }}
      />
    </Toolbar>
  );
}
