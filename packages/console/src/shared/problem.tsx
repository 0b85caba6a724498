import { Alert, Button } from '@mui/material';
import { useListContext } from 'react-admin';
import { sentenceOf } from '../api/problems';

/** What went wrong, with a way to try again. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Alert
      severity="error"
      action={
        retry && (
          <Button color="inherit" size="small" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      {sentenceOf(error)}
    </Alert>
  );
}

/** Why a list cannot be shown. */
export function ListProblem() {
  const { error, refetch } = useListContext();
  return error ? <Problem error={error} retry={() => void refetch()} /> : null;
}
