import { Button, Stack, Typography } from '@mui/material';
import { Frame } from './frame';
import { restore, signOut } from './session';

/** The key could not be checked, which says nothing about the key. */
export function Unreachable({ problem }: { problem: string }) {
  return (
    <Frame title="The console cannot open">
      <Typography role="alert" color="textSecondary">
        {problem}
      </Typography>
      <Stack direction="row" spacing={1} sx={{ mt: 3 }}>
        <Button variant="contained" onClick={() => void restore()} autoFocus>
          Try again
        </Button>
        <Button onClick={() => signOut()}>Use another key</Button>
      </Stack>
    </Frame>
  );
}
