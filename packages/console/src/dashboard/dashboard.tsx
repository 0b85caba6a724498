import { Box, Stack } from '@mui/material';
import { Title } from 'react-admin';
import { client, may } from '../session/session';
import { Limits } from '../shared/limits';
import { Section } from '../shared/section';
import { KeysThatEnd, RefusedKeys } from './key-cards';
import { Stock } from './stock';
import { OrdersThatWait } from './waiting-orders';

/** What waits, what ends soon and who is refused, as far as the key may see it. */
export const Dashboard = () => (
  <Stack spacing={2} sx={{ py: 2 }}>
    <Title title="Overview" />
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
      }}
    >
      {may('order') && <OrdersThatWait status="placed" />}
      {may('order') && <OrdersThatWait status="approved" />}
      <Stock />
      <Section title="What your key has left">
        <Limits name="me" read={() => client().getRateLimit()} />
      </Section>
      {may('admin') && <KeysThatEnd />}
      {may('admin') && <RefusedKeys />}
    </Box>
  </Stack>
);
