import { Button, MenuItem, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { client, me, replaceSecret } from '../session/session';
import { Confirm } from './confirm';
import { SecretDialog } from './secret-dialog';

const OVERLAPS = [
  [86_400, '24 hours'],
  [604_800, '7 days'],
  [2_592_000, '30 days'],
  [3_600, '1 hour'],
  [0, 'not at all: it ends at once'],
] as const;

/** Gives a key a new secret: any key for an administrator, the key that is signed in for itself. */
export function RotateButton({ id, name }: { id: string; name: string }) {
  const isOwn = id === me().id;
  const [isAsked, setAsked] = useState(false);
  const [overlap, setOverlap] = useState<number>(86_400);
  const [secret, setSecret] = useState<string>();
  const notify = useNotify();
  const refresh = useRefresh();
  async function rotate() {
    const { key } = await client().rotateKey(isOwn ? 'me' : id, { overlapSeconds: overlap });
    if (isOwn) await replaceSecret(key);
    setSecret(key);
  }
  function close() {
    setSecret(undefined);
    notify(`${name} has a new secret.`, { type: 'success' });
    refresh();
  }
  return (
    <>
      <Button variant="outlined" size="small" onClick={() => setAsked(true)}>
        Rotate
      </Button>
      {isAsked && (
        <Confirm
          title={`Give ${name} a new secret?`}
          action="Rotate"
          onConfirm={rotate}
          onClose={() => setAsked(false)}
        >
          <Typography gutterBottom>
            The key stays the same: its limits, orders and usage. During the overlap the present secret works
            beside the new one, so that programs can change over without a gap.
          </Typography>
          <TextField
            select
            label="How long the present secret still works"
            value={overlap}
            onChange={(event) => setOverlap(Number(event.target.value))}
            sx={{ mt: 1 }}
          >
            {OVERLAPS.map(([seconds, label]) => (
              <MenuItem key={seconds} value={seconds}>
                {label}
              </MenuItem>
            ))}
          </TextField>
        </Confirm>
      )}
      {secret !== undefined && (
        <SecretDialog title={`The new secret of ${name}`} secret={secret} onClose={close}>
          {isOwn
            ? 'This tab uses the new secret already.'
            : 'Hand it over in a channel that forgets, such as a one-time link.'}
        </SecretDialog>
      )}
    </>
  );
}
