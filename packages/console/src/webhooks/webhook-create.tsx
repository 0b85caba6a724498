import { useState } from 'react';
import { Create, SaveButton, SimpleForm, Toolbar, useRedirect, type RaRecord } from 'react-admin';
import { BackLink } from '../shared/back-link';
import { SecretDialog } from '../shared/secret-dialog';
import { WebhookFields } from './webhook-form';

/** The form for a new webhook. Its secret is shown once. */
export function WebhookCreate() {
  const [created, setCreated] = useState<RaRecord>();
  const redirect = useRedirect();
  return (
    <>
      <Create
        title="Add a webhook"
        actions={<BackLink to="/webhooks">All webhooks</BackLink>}
        redirect={false}
        // The secret is in no cache, only in this view.
        mutationOptions={{ onSuccess: (record: RaRecord) => setCreated(record) }}
        sx={{ maxWidth: 720 }}
      >
        <SimpleForm
          noValidate
          defaultValues={{ url: '', types: null }}
          toolbar={
            <Toolbar>
              <SaveButton alwaysEnable label="Add" />
            </Toolbar>
          }
        >
          <WebhookFields />
        </SimpleForm>
      </Create>
      {created && (
        <SecretDialog
          title="The secret that signs what is sent"
          secret={String(created.secret)}
          onClose={() => redirect(`/webhooks/${String(created.id)}/show`)}
        >
          The endpoint verifies each message with it (Standard Webhooks).
        </SecretDialog>
      )}
    </>
  );
}
