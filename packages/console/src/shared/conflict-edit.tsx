import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, Typography } from '@mui/material';
import { useState, type ReactElement, type ReactNode } from 'react';
import { Edit, useDataProvider, useNotify, useRedirect, type RaRecord } from 'react-admin';
import { changesOf } from '../api/data-provider';
import { codeOf, sentenceOf } from '../api/problems';
import { textOf } from '../api/records';
import { EditProblem } from './detail-problem';

type Fields = Record<string, unknown>;

interface ConflictEditProps {
  resource: string;
  /** The fields with their names for people, and how a value is shown. */
  labels: Record<string, string>;
  show?: (field: string, value: unknown) => string;
  saved: (record: RaRecord) => string;
  after: (record: RaRecord) => string;
  actions: ReactElement;
  children: ReactNode;
}

interface Conflict {
  base: Fields;
  mine: Fields;
  current: RaRecord;
}

let openings = 0;
const newOpening = () => ({ opening: (openings += 1) });

/**
 * A form for a record that somebody else may change meanwhile. A change is saved only on the state that the form began with; otherwise it
 * says what the other one changed, and asks which is to stay.
 */
export function ConflictEdit({ resource, labels, show, saved, after, actions, children }: ConflictEditProps) {
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const redirect = useRedirect();
  const [conflict, setConflict] = useState<Conflict>();
  const [meta, setMeta] = useState(newOpening);
  function done(record: RaRecord) {
    notify(saved(record), { type: 'success' });
    redirect(after(record));
  }
  async function failed(error: unknown, base: Fields, mine: Fields, id: RaRecord['id']) {
    if (codeOf(error) !== 'precondition_failed') {
      notify(sentenceOf(error), { type: 'error' });
      return;
    }
    try {
      const { data: current } = await dataProvider.getOne<RaRecord>(resource, { id });
      setConflict({ base, mine, current });
    } catch (gone) {
      notify(`Not saved. ${sentenceOf(gone)}`, { type: 'error' });
    }
  }
  async function overwrite({ base, mine, current }: Conflict) {
    const data = { ...current, ...changesOf(mine, base) };
    try {
      const { data: record } = await dataProvider.update<RaRecord>(resource, {
        id: current.id,
        data,
        previousData: current,
      });
      setConflict(undefined);
      done(record);
    } catch (error) {
      setConflict(undefined);
      await failed(error, current, data, current.id);
    }
  }
  return (
    <>
      <Edit
        key={meta.opening}
        resource={resource}
        mutationMode="pessimistic"
        title={false}
        actions={actions}
        error={<EditProblem />}
        redirect={false}
        // Kept apart from what lists have read, which has no entity tag. Read once for each opening: a second answer would
        // replace what was typed meanwhile.
        queryOptions={{
          meta,
          onError: () => undefined,
          staleTime: Infinity,
          refetchOnWindowFocus: false,
          refetchOnReconnect: false,
        }}
        mutationOptions={{
          meta,
          onSuccess: done,
          onError: (error, variables) => {
            const { data, previousData, id } = variables as {
              data: Fields;
              previousData: Fields;
              id: RaRecord['id'];
            };
            if ((error as { body?: { errors?: unknown } }).body?.errors === undefined)
              void failed(error, previousData, data, id);
          },
        }}
        sx={{ maxWidth: 720, '& .RaEdit-card': { boxShadow: 'none' } }}
      >
        {children}
      </Edit>
      {conflict && (
        <Dialog
          open
          onClose={() => setConflict(undefined)}
          aria-labelledby="conflict-title"
          fullWidth
          maxWidth="sm"
        >
          <DialogTitle id="conflict-title">Somebody was faster</DialogTitle>
          <DialogContent>
            <Alert severity="warning" sx={{ mb: 2 }}>
              {sentencesOf(conflict.base, conflict.current, labels, show).map((sentence) => (
                <div key={sentence}>{sentence}</div>
              ))}
            </Alert>
            <Typography gutterBottom>Nothing of yours is saved yet. Your changes:</Typography>
            <ul>
              {Object.entries(changesOf(conflict.mine, conflict.base)).map(([field, value]) => (
                <li key={field}>
                  {labels[field] ?? field}: “{show?.(field, value) ?? (textOf(value) || 'none')}”
                </li>
              ))}
            </ul>
          </DialogContent>
          <DialogActions sx={{ flexWrap: 'wrap', gap: 1 }}>
            <Button
              onClick={() => {
                setConflict(undefined);
                setMeta(newOpening());
              }}
            >
              Drop mine, show theirs
            </Button>
            <Button variant="contained" autoFocus onClick={() => void overwrite(conflict)}>
              Save my changes
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}

/** What somebody else has changed, such as “Somebody changed the name to “Rex II”.” */
function sentencesOf(
  base: Fields,
  current: Fields,
  labels: Record<string, string>,
  show?: ConflictEditProps['show'],
) {
  const changes = Object.entries(changesOf(current, base)).filter(([field]) => field in labels);
  if (changes.length === 0)
    return ['Somebody changed it meanwhile, and changed it back or changed what this form does not show.'];
  return changes.map(
    ([field, value]) =>
      `Somebody changed the ${(labels[field] ?? field).toLowerCase()} to “${show?.(field, value) ?? (textOf(value) || 'none')}”.`,
  );
}
