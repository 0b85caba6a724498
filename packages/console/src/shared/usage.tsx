import {
  Box,
  Button,
  Skeleton,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { UsageDay } from 'animal-store-client';
import { lazy, Suspense, useState } from 'react';
import { Problem } from './problem';

const Chart = lazy(() => import('./usage-chart'));

const waiting = <Skeleton variant="rounded" height={220} />;

/** The last 30 days of a key: a chart with the refused requests told apart, and a table. */
export function Usage({ name, read }: { name: string; read: () => Promise<UsageDay[]> }) {
  const [isTable, setTable] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: ['usage', name], queryFn: read, staleTime: 10_000 });
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return waiting;
  const days = data.map(({ date, admitted, refused }) => ({
    date,
    admitted: Number(admitted),
    refused: Number(refused),
  }));
  const sum = (field: 'admitted' | 'refused') =>
    days.reduce((total, day) => total + day[field], 0).toLocaleString('en');
  return (
    <>
      <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: 1, mb: 1 }}>
        <Typography variant="body2" sx={{ flex: 1 }}>
          {sum('admitted')} requests admitted, {sum('refused')} refused in 30 days.
        </Typography>
        <Button size="small" onClick={() => setTable(!isTable)} aria-pressed={isTable}>
          {isTable ? 'As a chart' : 'As a table'}
        </Button>
      </Box>
      {isTable ? (
        <DayTable days={days} />
      ) : (
        <Suspense fallback={waiting}>
          <Chart days={days} />
        </Suspense>
      )}
    </>
  );
}

export interface Day {
  date: string;
  admitted: number;
  refused: number;
}

const DayTable = ({ days }: { days: Day[] }) => (
  <Table size="small" aria-label="Requests by UTC day">
    <TableHead>
      <TableRow>
        <TableCell>UTC day</TableCell>
        <TableCell align="right">Admitted</TableCell>
        <TableCell align="right">Refused</TableCell>
      </TableRow>
    </TableHead>
    <TableBody>
      {days.toReversed().map(({ date, admitted, refused }) => (
        <TableRow key={date}>
          <TableCell>{date}</TableCell>
          <TableCell align="right">{admitted.toLocaleString('en')}</TableCell>
          <TableCell align="right">{refused.toLocaleString('en')}</TableCell>
        </TableRow>
      ))}
    </TableBody>
  </Table>
);
