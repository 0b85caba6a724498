import { SaveButton, SimpleForm, Title, Toolbar } from 'react-admin';
import { textOf } from '../api/records';
import { BackLink } from '../shared/back-link';
import { ConflictEdit } from '../shared/conflict-edit';
import { WebhookFields } from './webhook-form';
import { LABELS } from './webhook-record';

/** The form of one webhook. */
export const WebhookEdit = () => (
  <ConflictEdit
    resource="webhooks"
    labels={LABELS}
    show={(field, value) => textOf(value) || (field === 'types' ? 'all' : 'none')}
    saved={() => 'The webhook is saved.'}
    after={({ id }) => `/webhooks/${String(id)}/show`}
    actions={<BackLink to="/webhooks">All webhooks</BackLink>}
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
      <Title title="Edit the webhook" />
      <WebhookFields />
    </SimpleForm>
  </ConflictEdit>
);
