import { Box, ButtonBase, Skeleton, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { client } from '../session/session';
import { Problem } from '../shared/problem';
import { Section } from '../shared/section';
import { filtered } from '../shared/short-list';

/** How many animals there are of each status. */
export function Stock() {
  const { data, error, refetch } = useQuery({
    queryKey: ['animals', 'inventory'],
    queryFn: async () => {
      const { available, pending, sold } = await client().getInventory();
      return Object.entries({ available, pending, sold }).map(([status, count]) => ({
        status,
        count: String(count),
      }));
    },
  });
  return (
    <Section title="Animals">
      {error && !data ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : (
        <Box sx={{ display: 'grid', gridTemplateColumns: 'repeat(3, minmax(0, 1fr))', gap: 1, mx: -1 }}>
          {(data ?? []).map(({ status, count }) => (
            <ButtonBase
              key={status}
              component={Link}
              to={filtered('animals', { status })}
              sx={{ flexDirection: 'column', alignItems: 'flex-start', p: 1, borderRadius: 1 }}
            >
              <Typography sx={{ fontSize: '1.6rem', fontWeight: 650 }}>
                {Number(count).toLocaleString('en')}
              </Typography>
              <Typography variant="body2" color="textSecondary">
                {status}
              </Typography>
            </ButtonBase>
          ))}
          {data === undefined && <Skeleton variant="rounded" height={72} sx={{ gridColumn: '1 / -1' }} />}
        </Box>
      )}
    </Section>
  );
}
