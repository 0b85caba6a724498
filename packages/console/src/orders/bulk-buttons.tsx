import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  List,
  ListItem,
  ListItemIcon,
  ListItemText,
  LinearProgress,
  Typography,
} from '@mui/material';
import { useRef, useState } from 'react';
import { useListContext, useNotify, useRefresh, useUnselectAll } from 'react-admin';
import { may } from '../session/session';
import { Countdown } from '../shared/countdown';
import { runMany, type Outcome } from '../shared/run-many';
import { ACTIONS, VERBS, type OrderRecord, type Verb } from './actions';

/** Approves, delivers or cancels all selected orders, and shows what became of each. */
export function BulkOrderButtons() {
  const [verb, setVerb] = useState<Verb>();
  return (
    <>
      {VERBS.filter((each) => may(ACTIONS[each].access)).map((each) => (
        <Button key={each} size="small" color="inherit" onClick={() => setVerb(each)}>
          {each === 'cancel' ? 'Cancel orders' : ACTIONS[each].label}
        </Button>
      ))}
      {verb && <BulkDialog verb={verb} onClose={() => setVerb(undefined)} />}
    </>
  );
}

function BulkDialog({ verb, onClose }: { verb: Verb; onClose: () => void }) {
  const { data = [], selectedIds } = useListContext<OrderRecord>();
  // What was selected when the dialog opened: the list is read again meanwhile.
  const [selected] = useState(() => data.filter(({ id }) => (selectedIds as unknown[]).includes(id)));
  const { label, done, from, question } = ACTIONS[verb];
  const fitting = selected.filter(({ status }) => from.includes(status));
  const [outcomes, setOutcomes] = useState<Outcome<OrderRecord>[]>([]);
  const [phase, setPhase] = useState<'asked' | 'running' | 'done'>('asked');
  const [pausedUntil, setPausedUntil] = useState<number>();
  const [stop] = useState(() => new AbortController());
  const results = useRef<HTMLHeadingElement>(null);
  const refresh = useRefresh();
  const notify = useNotify();
  const unselectAll = useUnselectAll('orders');

  async function start() {
    setPhase('running');
    const all: Outcome<OrderRecord>[] = [];
    await runMany(fitting, ({ id }) => ACTIONS[verb].run(id), {
      signal: stop.signal,
      onPause: setPausedUntil,
      onOutcome: (outcome) => setOutcomes((before) => (all.push(outcome), [...before, outcome])),
    });
    setPhase('done');
    results.current?.focus();
    const failed = all.filter(({ problem }) => problem !== undefined).length;
    notify(`${countOf(all.length - failed)} ${done}${failed > 0 ? `, ${String(failed)} not` : ''}.`, {
      type: failed > 0 ? 'warning' : 'success',
    });
  }
  function close() {
    stop.abort();
    if (phase !== 'asked') {
      unselectAll();
      refresh();
    }
    onClose();
  }
  const left = selected.length - fitting.length;
  return (
    <Dialog open onClose={close} fullWidth maxWidth="sm" aria-labelledby="bulk-title">
      <DialogTitle id="bulk-title" ref={results} tabIndex={-1}>
        {phase === 'done' ? `${label}: the result` : `${label} ${countOf(fitting.length)}?`}
      </DialogTitle>
      <DialogContent>
        {phase === 'asked' && (
          <>
            {question && <Typography>{question('Each animal')}</Typography>}
            {left > 0 && (
              <Typography color="textSecondary">
                {countOf(left)} of those selected {left === 1 ? 'is' : 'are'} left out: not{' '}
                {from.join(' or ')}.
              </Typography>
            )}
          </>
        )}
        {phase === 'running' && (
          <>
            <LinearProgress
              aria-label="Progress"
              variant="determinate"
              value={(100 * outcomes.length) / Math.max(1, fitting.length)}
            />
            {pausedUntil !== undefined && (
              <Typography role="status">
                Your key is out of requests. It goes on in <Countdown untilMs={pausedUntil} />.
              </Typography>
            )}
          </>
        )}
        <List dense aria-label="Results">
          {outcomes.map(({ item, problem }) => (
            <ListItem key={item.id} disableGutters>
              <ListItemIcon sx={{ minWidth: 36 }}>
                {problem === undefined ? <CheckIcon color="success" /> : <ErrorIcon color="error" />}
              </ListItemIcon>
              <ListItemText primary={`Order ${String(item.id)}: ${problem ?? done}`} />
            </ListItem>
          ))}
        </List>
      </DialogContent>
      <DialogActions>
        {phase === 'done' ? (
          <Button variant="contained" onClick={close} autoFocus>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={close}>{phase === 'running' ? 'Stop' : 'Back'}</Button>
            <Button
              variant="contained"
              autoFocus
              disabled={fitting.length === 0}
              loading={phase === 'running'}
              color={verb === 'cancel' ? 'error' : 'primary'}
              onClick={() => void start()}
            >
              {label === 'Cancel order'
                ? `Cancel ${countOf(fitting.length)}`
                : `${label} ${String(fitting.length)}`}
            </Button>
          </>
        )}
      </DialogActions>
    </Dialog>
  );
}

const countOf = (count: number) => `${String(count)} ${count === 1 ? 'order' : 'orders'}`;
