import { Alert, Button, Link, TextField, Typography } from '@mui/material';
import { useState, type SubmitEvent } from 'react';
import { Frame } from './frame';
import { signIn } from './session';

/** The sign-in. `reason`: why the session before it has ended. */
export function SignIn({ reason }: { reason?: string | undefined }) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  async function submit(event: SubmitEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(key);
    } catch (error) {
      setProblem((error as Error).message);
      setBusy(false);
    }
  }
  return (
    <Frame title="Sign in to the console">
      {reason !== undefined && problem === undefined && (
        <Alert severity="warning" sx={{ my: 2 }}>
          You were signed out. {reason}
        </Alert>
      )}
      <Typography color="textSecondary">What you see depends on what your key may do.</Typography>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label="API key"
          type="password"
          name="key"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          error={problem !== undefined}
          helperText={problem ?? 'It stays in this tab and is gone when you close it.'}
          autoFocus
          autoComplete="off"
          size="medium"
          sx={{ mt: 2 }}
          slotProps={{
            htmlInput: { spellCheck: false, autoCapitalize: 'none', 'aria-required': true },
            formHelperText: { role: problem === undefined ? undefined : 'alert' },
          }}
        />
        <Button type="submit" variant="contained" size="large" fullWidth loading={isBusy} sx={{ mt: 2 }}>
          Sign in
        </Button>
      </form>
      <Typography color="textSecondary" variant="body2" sx={{ mt: 3 }}>
        No key yet? The store issues one. <Link href="docs">Read the API documentation</Link>
      </Typography>
    </Frame>
  );
}
