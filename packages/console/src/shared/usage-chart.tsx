import { Box, useTheme } from '@mui/material';
import { BarChart } from '@mui/x-charts/BarChart';
import type { Day } from './usage';

/** The requests of each UTC day, refused ones above those admitted. It is a chunk of its own, which is read when a chart is shown. */
export default function UsageChart({ days }: { days: Day[] }) {
  const { palette } = useTheme();
  return (
    <Box component="figure" aria-label="Requests by UTC day" sx={{ m: 0 }}>
      <BarChart
        height={220}
        dataset={days.map((day) => ({ ...day }))}
        series={[
          { dataKey: 'admitted', label: 'Admitted', stack: 'all', color: palette.primary.main },
          { dataKey: 'refused', label: 'Refused', stack: 'all', color: palette.error.main },
        ]}
        xAxis={[{ scaleType: 'band', dataKey: 'date', valueFormatter: (date: string) => date.slice(5) }]}
        yAxis={[{ width: 56, min: 0, tickMinStep: 1 }]}
        margin={{ left: 0, right: 8, top: 8, bottom: 0 }}
        grid={{ horizontal: true }}
        skipAnimation
      />
    </Box>
  );
}
