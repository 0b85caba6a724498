import { Alert, Box, LinearProgress, Skeleton, Stack, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { RateLimit } from 'animal-store-client';
import { Problem } from './problem';
import { Countdown } from './countdown';
import { Time } from './time';

const EVERY_MS = 5_000;

/** What a key may still do, read again every five seconds. */
export function Limits({ name, read }: { name: string; read: () => Promise<RateLimit> }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['limits', name],
    queryFn: read,
    refetchInterval: EVERY_MS,
    refetchOnWindowFocus: true,
  });
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton variant="rounded" height={96} />;
  return (
    <Stack spacing={2}>
      {data.bannedUntil !== null && (
        <Alert severity="error">
          Banned for too many refused requests until <Time value={data.bannedUntil} relative />.
        </Alert>
      )}
      {data.windows.map(({ name, limit, remaining, resetAt }) => {
        const [total, left] = [limit, remaining];
        const label = name === 'minute' ? 'This minute' : 'This day (UTC)';
        return (
          <Box key={name}>
            <Stack direction="row" sx={{ justifyContent: 'space-between', flexWrap: 'wrap', columnGap: 2 }}>
              <Typography variant="body2" sx={{ fontWeight: 600 }}>
                {label}
              </Typography>
              <Typography variant="body2">
                {left.toLocaleString('en')} of {total.toLocaleString('en')} left
              </Typography>
            </Stack>
            <LinearProgress
              variant="determinate"
              aria-label={`${label}: requests used`}
              value={Math.min(100, (100 * (total - left)) / total)}
              color={left === 0 ? 'error' : left < total / 10 ? 'warning' : 'primary'}
              sx={{ height: 8, borderRadius: 4, my: 0.5 }}
            />
            <Typography variant="caption" color="textSecondary">
              full again in <Countdown untilMs={resetAt * 1_000} />
            </Typography>
          </Box>
        );
      })}
    </Stack>
  );
}
