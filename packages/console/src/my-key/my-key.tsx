import { Alert, Box, Stack } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Title } from 'react-admin';
import { ACCESS_WORDS, limitWords } from '../keys/key-record';
import { client, me, refreshMe, useSession } from '../session/session';
import { Limits } from '../shared/limits';
import { RotateButton } from '../shared/rotate-button';
import { Facts, Section } from '../shared/section';
import { DAY_MS, Distance, Time, useNow } from '../shared/time';
import { Usage } from '../shared/usage';

const SOON_MS = 14 * DAY_MS;

/** What the key that is signed in may do, what it has left and what it did. */
export function MyKey() {
  const now = useNow();
  // Shown again when the key has a new secret.
  useSession();
  const { id, name, access, prefix, expiresAt } = me();
  const { data: key } = useQuery({
    queryKey: ['keys', 'me'],
    queryFn: async () => ({ ...(await client().getKey('me')) }),
  });
  const endsSoon = expiresAt !== null && Date.parse(expiresAt) - now < SOON_MS;
  return (
    <Stack spacing={2} sx={{ py: 2 }}>
      <Title title="My key" />
      {endsSoon && (
        <Alert severity="warning">
          This key ends <Distance value={expiresAt} />. Ask the store to extend it, or rotate it if its secret
          was rotated before.
        </Alert>
      )}
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Section title={name} actions={<RotateButton id={id} name={name} />}>
          <Facts
            facts={[
              ['May', ACCESS_WORDS[access]],
              ['Access', access],
              ['Plan', key ? `${key.plan}: ${limitWords(key)}` : '…'],
              ['Begins with', prefix],
              ['Ends', <Time value={expiresAt} relative empty="never" />],
              ['Issued', <Time value={key?.createdAt} empty="…" />],
              ['Your reference', key?.reference ?? 'none'],
            ]}
          />
        </Section>
        <Section title="What is left">
          <Limits name="me" read={readLimits} />
        </Section>
      </Box>
      <Section title="The last 30 days">
        <Usage name="me" read={() => client().getUsage({ days: 30 })} />
      </Section>
    </Stack>
  );
}

/** A change of the key's access is felt here without a reload. */
async function readLimits() {
  const limits = await client().getRateLimit();
  if (limits.key.access !== me().access) void refreshMe();
  return limits;
}
