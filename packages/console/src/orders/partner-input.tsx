import { TextField } from '@mui/material';
import { TextInput, useInput, useReference, type TextInputProps } from 'react-admin';
import type { KeyRecord } from '../keys/key-record';
import { may } from '../session/session';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The filter by a partner: the id of its key, shown as the partner's name where the key that is signed in may read keys. */
export function PartnerInput(props: TextInputProps & { source: string }) {
  const { field } = useInput({ source: props.source });
  const value: unknown = field.value;
  if (!may('admin') || typeof value !== 'string' || !UUID.test(value))
    return <TextInput {...props} label="Id of the partner's key" />;
  return <PartnerField id={value} />;
}

function PartnerField({ id }: { id: string }) {
  const { referenceRecord } = useReference<KeyRecord>({ reference: 'keys', id });
  return (
    <TextField
      label="Partner"
      value={referenceRecord?.name ?? id}
      title={id}
      slotProps={{ input: { readOnly: true } }}
    />
  );
}
