import {
  Card,
  LinearProgress,
  List,
  ListItem,
  ListItemButton,
  ListItemText,
  Stack,
  Typography,
} from '@mui/material';
import type { StoreEvent } from 'animal-store-client';
import { Title } from 'react-admin';
import { Link, useSearchParams } from 'react-router-dom';
import { may } from '../session/session';
import { Chips } from '../shared/filter-chips';
import { Problem } from '../shared/problem';
import { Time } from '../shared/time';
import { useFeed } from './feed';
import { KINDS, kindOf } from './kinds';
import { Actor, sentenceOfEvent } from './sentences';

const CHOICES = KINDS.map(({ id, label }) => ({ value: id, label }));

/** What happens in the store, as it happens; each line leads to what it is about. */
export function EventsView() {
  const [parameters, setParameters] = useSearchParams();
  const kind = kindOf(parameters.get('kind'));
  const { data, error, refetch } = useFeed();
  return (
    <Stack spacing={1.5} sx={{ py: 2, maxWidth: 840 }}>
      <Title title="Events" />
      <Chips
        label="Kind"
        choices={CHOICES}
        chosen={kind.id}
        onChoose={(id) => setParameters(id === undefined ? {} : { kind: id })}
      />
      <Typography color="textSecondary" variant="body2">
        What happens while this view is open, newest first.
      </Typography>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <LinearProgress aria-label="Loading" />}
      {data && <Lines events={data.events.filter(({ type }) => kind.has(type))} />}
    </Stack>
  );
}

function Lines({ events }: { events: StoreEvent[] }) {
  if (events.length === 0)
    return (
      <Card sx={{ p: 4, textAlign: 'center' }}>
        <Typography role="status">Nothing has happened yet. The next change appears here.</Typography>
      </Card>
    );
  return (
    <Card>
      <List
        dense
        disablePadding
        sx={{ '& > :last-child': { borderBottom: 0 } }}
        aria-label="Events"
        aria-live="polite"
        aria-relevant="additions"
      >
        {events.map((event) => (
          <Line key={event.id} event={event} />
        ))}
      </List>
    </Card>
  );
}

function Line({ event }: { event: StoreEvent }) {
  const { sentence, to } = sentenceOfEvent(event);
  const text = (
    <ListItemText
      primary={sentence}
      secondary={
        <>
          <Time value={event.timestamp} />
          {event.actor !== undefined && (
            <>
              , by <Actor actor={event.actor} />
            </>
          )}
        </>
      }
    />
  );
  const isOpen = to !== undefined && (may('admin') || !to.startsWith('/keys'));
  return isOpen ? (
    <ListItem disablePadding divider>
      <ListItemButton component={Link} to={to}>
        {text}
      </ListItemButton>
    </ListItem>
  ) : (
    <ListItem divider>{text}</ListItem>
  );
}
