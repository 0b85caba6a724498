import { Alert, Box, Button, Stack } from '@mui/material';
import { useState } from 'react';
import { Show, Title, useNotify, useRecordContext, useRefresh } from 'react-admin';
import { Link } from 'react-router-dom';
import { client, me } from '../session/session';
import { sentenceOf } from '../api/problems';
import { BackLink } from '../shared/back-link';
import { Confirm } from '../shared/confirm';
import { DetailProblem } from '../shared/detail-problem';
import { Limits } from '../shared/limits';
import { RotateButton } from '../shared/rotate-button';
import { Facts, Section } from '../shared/section';
import { StatusChip } from '../shared/status-chip';
import { Time } from '../shared/time';
import { Usage } from '../shared/usage';
import { History } from './history';
import { ACCESS_WORDS, isChangeable, limitWords, type KeyRecord } from './key-record';

/** One key: what it is, what it has left, what it did, and what was done to it. */
export const KeyView = () => (
  <Show
    actions={<BackLink to="/keys">All keys</BackLink>}
    title={false}
    component="div"
    error={<DetailProblem />}
    queryOptions={{ onError: () => undefined }}
  >
    <KeyDetails />
  </Show>
);

function KeyDetails() {
  const key = useRecordContext<KeyRecord>();
  if (!key) return null;
  const { id } = key;
  return (
    <Stack spacing={2} sx={{ pb: 2 }}>
      <Title title={key.name} />
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Section title={key.name} actions={<StatusChip status={key.state} />}>
          <KeyFacts record={key} />
          <KeyButtons record={key} />
        </Section>
        {key.state !== 'revoked' && key.state !== 'expired' && (
          <Section title="What is left">
            <Limits name={id} read={() => client().getKeyLimits(id)} />
          </Section>
        )}
      </Box>
      <Section title="The last 30 days">
        <Usage name={id} read={() => client().getKeyUsage(id, { days: 30 })} />
      </Section>
      <Section title="History">
        <History id={id} />
      </Section>
    </Stack>
  );
}

const KeyFacts = ({ record: key }: { record: KeyRecord }) => (
  <Facts
    facts={[
      ['May', ACCESS_WORDS[key.access]],
      ['Access', key.access],
      ['Plan', `${key.plan}: ${limitWords(key)}`],
      ['Reference', key.reference ?? 'none'],
      ['Begins with', key.prefix],
      ['Ends', <Time key="ends" value={key.expiresAt} relative empty="never" />],
      ['Issued', <Time key="issued" value={key.createdAt} />],
      ['Last used', <Time key="used" value={key.lastUsedAt} relative empty="never" />],
      ...(key.revokedAt === null
        ? []
        : [['Revoked', <Time key="revoked" value={key.revokedAt} relative />] as [string, React.ReactNode]]),
      ['Id', key.id],
    ]}
  />
);

function KeyButtons({ record: key }: { record: KeyRecord }) {
  const [isRevoking, setRevoking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const notify = useNotify();
  const refresh = useRefresh();
  const { id } = key;
  const openOrders = `/orders?filter=${encodeURIComponent(JSON.stringify({ keyId: id }))}`;
  async function revoke() {
    await client().revokeKey(id);
    notify(`The key of ${key.name} is revoked. Its open orders stay: deliver or cancel them.`, {
      type: 'success',
    });
    refresh();
  }
  async function unban() {
    setBusy(true);
    try {
      await client().unbanKey(id);
      notify(`The ban of ${key.name} is lifted.`, { type: 'success' });
    } catch (error) {
      notify(sentenceOf(error), { type: 'error' });
    }
    setBusy(false);
    refresh();
  }
  return (
    <>
      {key.access === 'admin' && key.id !== me().id && (
        <Alert severity="info" sx={{ mt: 2 }}>
          Admin keys are issued and changed by command only.
        </Alert>
      )}
      <Stack direction="row" sx={{ mt: 2, gap: 1, flexWrap: 'wrap' }}>
        {isChangeable(key) && (
          <Button component={Link} to={`/keys/${id}`} variant="contained" size="small">
            Edit
          </Button>
        )}
        {(isChangeable(key) || key.id === me().id) && key.state !== 'expired' && (
          <RotateButton id={id} name={key.name} />
        )}
        {key.state === 'banned' && isChangeable(key) && (
          <Button variant="outlined" size="small" loading={isBusy} onClick={() => void unban()}>
            Lift the ban
          </Button>
        )}
        <Button component={Link} to={openOrders} size="small">
          Its orders
        </Button>
        {isChangeable(key) && (
          <Button color="error" size="small" onClick={() => setRevoking(true)}>
            Revoke
          </Button>
        )}
      </Stack>
      {isRevoking && (
        <Confirm
          title={`Revoke the key of ${key.name}?`}
          action="Revoke"
          typed={key.name}
          danger
          onConfirm={revoke}
          onClose={() => setRevoking(false)}
        >
          All its secrets end within a second, for good. Its open orders stay open:{' '}
          <Link to={openOrders}>see its orders</Link> and deliver or cancel them.
        </Confirm>
      )}
    </>
  );
}
