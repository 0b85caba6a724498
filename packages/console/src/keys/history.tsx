import { Button, List, ListItem, ListItemText, Skeleton, Typography } from '@mui/material';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../session/session';
import { recordOf } from '../api/records';
import { Problem } from '../shared/problem';
import { Time } from '../shared/time';
import { sentenceOfEvent, type KeyEventRecord } from './sentences';

const PAGE = 20;

/** What was done to a key, newest first, in sentences. */
export function History({ id }: { id: string }) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['keys', 'history', id],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const query = {
        limit: PAGE,
        order: 'desc' as const,
        ...(pageParam !== undefined && { cursor: pageParam }),
      };
      const { items, nextCursor } = await client().listKeyEvents(id, query);
      return { events: items.map((item) => recordOf(item) as KeyEventRecord), nextCursor };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton variant="rounded" height={120} />;
  const events = data.pages.flatMap((page) => page.events);
  if (events.length === 0) return <Typography>Nothing was done to this key.</Typography>;
  return (
    <>
      <List dense disablePadding>
        {events.map((event) => (
          <ListItem key={event.id} disableGutters>
            <ListItemText primary={sentenceOfEvent(event)} secondary={<Time value={event.at} relative />} />
          </ListItem>
        ))}
      </List>
      {hasNextPage && (
        <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  );
}
