import { Typography } from '@mui/material';
import { SaveButton, SimpleForm, Title, Toolbar, useRecordContext } from 'react-admin';
import { textOf } from '../api/records';
import { BackLink } from '../shared/back-link';
import { ConflictEdit } from '../shared/conflict-edit';
import { localTime } from '../shared/time';
import { KeyFields } from './key-form';
import { LABELS, type KeyRecord } from './key-record';

/** The form of one key. */
export const KeyEdit = () => (
  <ConflictEdit
    resource="keys"
    labels={LABELS}
    show={(field, value) =>
      field === 'expiresAt'
        ? typeof value === 'string'
          ? localTime(value)
          : 'never'
        : textOf(value) || 'none'
    }
    saved={({ name }) => `The key of ${String(name)} is saved. It applies within a second.`}
    after={({ id }) => `/keys/${String(id)}/show`}
    actions={<BackLink to="/keys">All keys</BackLink>}
  >
    <SimpleForm
      warnWhenUnsavedChanges
      noValidate
      toolbar={
        <Toolbar>
          <SaveButton alwaysEnable label="Save" />
        </Toolbar>
      }
    >
      <Heading />
      <KeyFields />
    </SimpleForm>
  </ConflictEdit>
);

function Heading() {
  const key = useRecordContext<KeyRecord>();
  if (!key) return null;
  return (
    <>
      <Title title={`Edit ${key.name}`} />
      <Typography variant="h2" sx={{ mb: 1 }}>
        {key.name}
      </Typography>
    </>
  );
}
