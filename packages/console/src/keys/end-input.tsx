import { Button, Stack } from '@mui/material';
import { DateTimeInput, useInput } from 'react-admin';
import { DAY_MS } from '../shared/time';
import { LABELS } from './key-record';

const AHEAD = [90, 180, 365] as const;

const futureProblem = (value: unknown, form: { _end?: string }) => {
  if (typeof value !== 'string' || value === '' || value === form._end) return undefined;
  return Date.parse(value) > Date.now()
    ? undefined
    : 'This is in the past: a key ends in the future, or never.';
};

/** When a key ends, in the reader's zone; empty: never. */
export function EndInput() {
  const { field } = useInput({ source: 'expiresAt' });
  return (
    <>
      <DateTimeInput
        source="expiresAt"
        label={LABELS.expiresAt}
        validate={futureProblem}
        parse={(text: string) => (text === '' ? null : new Date(text).toISOString())}
        helperText="In your time zone. Empty: the key never ends."
      />
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 0.5, mb: 1 }} role="group" aria-label="Ends in">
        {AHEAD.map((days) => (
          <Button
            key={days}
            size="small"
            onClick={() => field.onChange(new Date(Date.now() + days * DAY_MS).toISOString())}
          >
            In {days} days
          </Button>
        ))}
        <Button size="small" onClick={() => field.onChange(null)}>
          Never
        </Button>
      </Stack>
    </>
  );
}
