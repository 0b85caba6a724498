import { useState } from 'react';
import { Create, SaveButton, SimpleForm, Toolbar, useRedirect, type RaRecord } from 'react-admin';
import { BackLink } from '../shared/back-link';
import { SecretDialog } from '../shared/secret-dialog';
import { KeyFields } from './key-form';

/** Only what was filled in is sent. */
function fieldsOf({ perMinute, perDay, ...fields }: Record<string, unknown>) {
  const given = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return { ...Object.fromEntries(given), ...(fields.plan === 'enterprise' && { perMinute, perDay }) };
}

/** The form for a new key. Its secret is shown once. */
export function KeyCreate() {
  const [issued, setIssued] = useState<RaRecord>();
  const redirect = useRedirect();
  return (
    <>
      <Create
        title="Issue a key"
        actions={<BackLink to="/keys">All keys</BackLink>}
        redirect={false}
        transform={fieldsOf}
        // The secret is in no cache, only in this view.
        mutationOptions={{ onSuccess: (record: RaRecord) => setIssued(record) }}
        sx={{ maxWidth: 720 }}
      >
        <SimpleForm
          noValidate
          defaultValues={{ access: 'order', plan: 'free', reference: null, expiresAt: null }}
          toolbar={
            <Toolbar>
              <SaveButton alwaysEnable label="Issue" />
            </Toolbar>
          }
        >
          <KeyFields />
        </SimpleForm>
      </Create>
      {issued && (
        <SecretDialog
          title={`The key of ${String(issued.name)}`}
          secret={String(issued.key)}
          onClose={() => redirect(`/keys/${String(issued.id)}/show`)}
        >
          Hand it over in a channel that forgets, such as a one-time link. A partner signs in to this console
          with it.
        </SecretDialog>
      )}
    </>
  );
}
