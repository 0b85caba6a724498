import { Alert, Button, Stack } from '@mui/material';
import { useState } from 'react';
import { Show, Title, useNotify, useRecordContext, useRedirect, useRefresh } from 'react-admin';
import { Link } from 'react-router-dom';
import { sentenceOf } from '../api/problems';
import { PartnerName } from '../orders/names';
import { client, may } from '../session/session';
import { BackLink } from '../shared/back-link';
import { Confirm } from '../shared/confirm';
import { DetailProblem } from '../shared/detail-problem';
import { SecretDialog } from '../shared/secret-dialog';
import { Facts, Section } from '../shared/section';
import { StatusChip } from '../shared/status-chip';
import { Time } from '../shared/time';
import { ReplayButton } from './replay-button';
import { answerWords, stateSentence, typesWords, waitingWords, type WebhookRecord } from './webhook-record';

const EVERY_MS = 5_000;

/** One webhook: where it sends to, how it fares, and what waits. */
export const WebhookView = () => (
  <Show
    actions={<BackLink to="/webhooks">All webhooks</BackLink>}
    title={false}
    component="div"
    error={<DetailProblem />}
    queryOptions={{ onError: () => undefined, refetchInterval: EVERY_MS }}
  >
    <WebhookDetails />
  </Show>
);

function WebhookDetails() {
  const webhook = useRecordContext<WebhookRecord>();
  if (!webhook) return null;
  const isWell = webhook.status === 'active' && webhook.failingSince === null;
  return (
    <Section title="Webhook" actions={<StatusChip status={webhook.status} />} maxWidth={840}>
      <Title title="Webhook" />
      <Alert severity={isWell ? 'success' : 'warning'} sx={{ mb: 2 }}>
        {stateSentence(webhook)}
      </Alert>
      <WebhookFacts webhook={webhook} />
      <WebhookButtons webhook={webhook} />
    </Section>
  );
}

function WebhookFacts({ webhook }: { webhook: WebhookRecord }) {
  const { url, keyId, types, waiting, lastAttemptAt, failingSince, nextAttemptAt, createdAt, missed } =
    webhook;
  const facts: [string, React.ReactNode][] = [
    ['Address', <span style={{ overflowWrap: 'anywhere' }}>{url}</span>],
    ['Events', typesWords(types)],
    ['Waiting', waitingWords(waiting)],
    ['Last attempt', <Time key="last" value={lastAttemptAt} relative empty="none yet" />],
  ];
  if (may('admin')) facts.splice(1, 0, ['Partner', <PartnerName key="partner" keyId={keyId} />]);
  if (failingSince !== null)
    facts.push(['Fails since', <Time key="failing" value={failingSince} relative />]);
  if (nextAttemptAt !== null) facts.push(['Tries again', <Time key="next" value={nextAttemptAt} relative />]);
  if (missed) facts.push(['Missed', 'Some events were removed before they could be sent.']);
  facts.push(['Added', <Time key="created" value={createdAt} />]);
  return <Facts facts={facts} />;
}

function WebhookButtons({ webhook }: { webhook: WebhookRecord }) {
  const { id, status, url } = webhook;
  const [busy, setBusy] = useState<'test' | 'status' | 'rotate'>();
  const [isRemoving, setRemoving] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const notify = useNotify();
  const refresh = useRefresh();
  const redirect = useRedirect();

  async function take(what: 'test' | 'status', work: () => Promise<void>) {
    setBusy(what);
    try {
      await work();
    } catch (error) {
      notify(sentenceOf(error), { type: 'error' });
    }
    setBusy(undefined);
    refresh();
  }
  const test = () =>
    take('test', async () => {
      const { status: answered, error, durationMs } = await client().testWebhook(id);
      const isWell = answered !== null && answered >= 200 && answered < 300;
      notify(`Test: ${answerWords({ status: answered, error })}, after ${String(durationMs)} ms.`, {
        type: isWell ? 'success' : 'warning',
      });
    });
  const turn = (to: 'active' | 'disabled') =>
    take('status', async () => {
      await client().updateWebhook(id, { status: to });
      notify(to === 'active' ? 'Events are sent, from where it was.' : 'Nothing is sent any more.', {
        type: 'success',
      });
    });
  async function rotate() {
    setSecret((await client().rotateWebhookSecret(id)).secret);
  }
  async function remove() {
    await client().deleteWebhook(id);
    notify('The webhook is removed.', { type: 'success' });
    redirect('/webhooks');
  }
  return (
    <>
      <Stack direction="row" sx={{ mt: 2, gap: 1, flexWrap: 'wrap' }}>
        <Button component={Link} to={`/webhooks/${id}`} variant="contained" size="small">
          Edit
        </Button>
        <Button variant="outlined" size="small" loading={busy === 'test'} onClick={() => void test()}>
          Send a test
        </Button>
        <Button
          variant="outlined"
          size="small"
          loading={busy === 'status'}
          onClick={() => void turn(status === 'active' ? 'disabled' : 'active')}
        >
          {status === 'active' ? 'Switch off' : 'Switch on'}
        </Button>
        <ReplayButton id={id} />
        <Button size="small" onClick={() => setRotating(true)}>
          New secret
        </Button>
        <Button color="error" size="small" onClick={() => setRemoving(true)}>
          Remove
        </Button>
      </Stack>
      {isRotating && (
        <Confirm
          title="Give the webhook a new secret?"
          action="New secret"
          onConfirm={rotate}
          onClose={() => setRotating(false)}
        >
          For 24 hours messages are signed with both, so that the endpoint can change over without a gap.
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The new secret that signs what is sent"
          secret={secret}
          onClose={() => {
            setSecret(undefined);
            refresh();
          }}
        >
          The endpoint verifies each message with it (Standard Webhooks).
        </SecretDialog>
      )}
      {isRemoving && (
        <Confirm
          title="Remove the webhook?"
          action="Remove"
          danger
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          Nothing is sent to <span style={{ overflowWrap: 'anywhere' }}>{url}</span> any more, and its place
          is forgotten.
        </Confirm>
      )}
    </>
  );
}
