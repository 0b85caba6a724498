import { CircularProgress, CssBaseline, ThemeProvider, createTheme, useMediaQuery } from '@mui/material';
import { lazy, Suspense, useMemo } from 'react';
import { chosenTheme } from '../chosen-theme';
import { dark, light } from '../theme';
import { useSession } from './session';
import { SignIn } from './sign-in';
import { Unreachable } from './unreachable';

/** The console itself is read while the key is typed. */
const load = () => import('../console');
const Console = lazy(load);
void load();

/** Shows the console to a key that the service accepts, and the sign-in to everybody else. The address stays as it is. */
export function SessionGate() {
  const session = useSession();
  const prefersDark = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true });
  const isDark = (chosenTheme() ?? (prefersDark ? 'dark' : 'light')) === 'dark';
  const theme = useMemo(() => createTheme(isDark ? dark : light), [isDark]);
  const waiting = <CircularProgress aria-label="Loading" sx={{ display: 'block', m: '20vh auto' }} />;
  if (session.phase === 'open')
    return (
      <Suspense fallback={waiting}>
        <Console key={session.me.id + session.me.access} />
      </Suspense>
    );
  return (
    <ThemeProvider theme={theme}>
      <CssBaseline />
      {session.phase === 'checking' && waiting}
      {session.phase === 'unreachable' && <Unreachable problem={session.problem} />}
      {session.phase === 'signed-out' && <SignIn reason={session.reason} />}
    </ThemeProvider>
  );
}
