import { Button, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { client } from '../session/session';
import { Confirm } from '../shared/confirm';
import { DAY_MS, localTime } from '../shared/time';
import { cursorAt } from './cursor-at';

/** The text that a field for a local time takes. */
function inputOf(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Sends the events since a moment again. */
export function ReplayButton({ id }: { id: string }) {
  const [moment, setMoment] = useState<string>();
  const notify = useNotify();
  const refresh = useRefresh();
  async function replay() {
    const at = new Date(moment ?? '');
    if (Number.isNaN(at.getTime())) throw new Error('Choose a day and a time.');
    await client().updateWebhook(id, { cursor: await cursorAt(at) });
    notify(`Events since ${localTime(at.toISOString())} are sent again.`, { type: 'success' });
    refresh();
  }
  return (
    <>
      <Button
        variant="outlined"
        size="small"
        onClick={() => setMoment(inputOf(new Date(Date.now() - DAY_MS)))}
      >
        Replay
      </Button>
      {moment !== undefined && (
        <Confirm
          title="Send events again?"
          action="Replay"
          onConfirm={replay}
          onClose={() => setMoment(undefined)}
        >
          <Typography gutterBottom>
            Its place moves to this moment, and the endpoint gets again what happened since, in order.
          </Typography>
          <TextField
            type="datetime-local"
            label="Since"
            value={moment}
            onChange={(event) => setMoment(event.target.value)}
            slotProps={{ inputLabel: { shrink: true } }}
            sx={{ mt: 1 }}
          />
        </Confirm>
      )}
    </>
  );
}
