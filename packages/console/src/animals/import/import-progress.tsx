import { Alert, Button, LinearProgress, Stack, Typography } from '@mui/material';
import { Link } from 'react-router-dom';
import { Countdown } from '../../shared/countdown';
import { Section } from '../../shared/section';
import { reportOf } from './rows';
import type { Progress, Report } from './use-import';

/** How far an import is, and in the end its report. */
export function ImportProgress({
  progress,
  onGoOn,
  onStop,
  onOther,
}: {
  progress: Progress;
  onGoOn: () => void;
  onStop: () => void;
  onOther: () => void;
}) {
  const { phase, done, total, pausedUntil, problem, report } = progress;
  const added = report.filter(({ id }) => id !== undefined).length;
  return (
    <Section title={phase === 'done' ? 'The import is done' : 'Importing'}>
      <LinearProgress
        variant="determinate"
        aria-label="Progress"
        value={total === 0 ? 100 : (100 * done) / total}
        sx={{ height: 8, borderRadius: 4 }}
      />
      <Typography role="status" sx={{ my: 1.5 }}>
        {added.toLocaleString('en')} of {total.toLocaleString('en')} animals are added
        {report.length > added && `, ${(report.length - added).toLocaleString('en')} lines are left out`}.
      </Typography>
      {pausedUntil !== undefined && (
        <Alert severity="info">
          Your key is out of requests. The import goes on by itself in <Countdown untilMs={pausedUntil} />.
        </Alert>
      )}
      {phase === 'stopped' && (
        <Alert severity="warning">
          {problem ?? 'You stopped the import.'} It goes on where it was; nothing is added twice.
        </Alert>
      )}
      <Stack direction="row" sx={{ mt: 2, gap: 1, flexWrap: 'wrap' }}>
        {phase === 'running' && <Button onClick={onStop}>Stop</Button>}
        {phase === 'stopped' && (
          <Button variant="contained" onClick={onGoOn}>
            Go on
          </Button>
        )}
        {phase === 'done' && (
          <Button component={Link} to="/animals" variant="contained">
            See the animals
          </Button>
        )}
        {phase !== 'running' && (
          <>
            <Button onClick={() => download(report)}>Download the report</Button>
            <Button onClick={onOther}>Another file</Button>
          </>
        )}
      </Stack>
    </Section>
  );
}

function download(report: Report[]): void {
  const lines = report.toSorted((a, b) => a.line - b.line);
  const url = URL.createObjectURL(new Blob([reportOf(lines)], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'import-report.csv' });
  link.click();
  URL.revokeObjectURL(url);
}
