import { Title, useEditContext, useShowContext } from 'react-admin';
import { Problem } from './problem';

/** Why a record cannot be shown. */
export function DetailProblem() {
  const { error, refetch } = useShowContext();
  return error ? <NotShown error={error} retry={() => void refetch()} /> : null;
}

/** Why a record cannot be edited. */
export function EditProblem() {
  const { error, refetch } = useEditContext();
  return error ? <NotShown error={error} retry={() => void refetch()} /> : null;
}

const NotShown = (props: { error: unknown; retry: () => void }) => (
  <>
    <Title title="Cannot be shown" />
    <Problem {...props} />
  </>
);
