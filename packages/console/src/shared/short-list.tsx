import { Button, List, ListItem, ListItemButton, ListItemText, Skeleton, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Problem } from './problem';
import { Section } from './section';

interface ShortListProps<Item> {
  title: string;
  query: { data?: Item[] | undefined; error: unknown; refetch: () => Promise<unknown> };
  empty: string;
  row: (item: Item) => { id: string | number; to: string; primary: ReactNode; secondary: ReactNode };
  /** The whole list. */
  all: { to: string; label: string };
}

/** The first of a list, on the overview. */
export function ShortList<Item>({ title, query, empty, row, all }: ShortListProps<Item>) {
  const { data, error, refetch } = query;
  return (
    <Section
      title={title}
      actions={
        <Button component={Link} to={all.to} size="small">
          {all.label}
        </Button>
      }
    >
      {error && !data ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton variant="rounded" height={96} />
      ) : data.length === 0 ? (
        <Typography color="textSecondary">{empty}</Typography>
      ) : (
        <List dense disablePadding>
          {data.map((item) => {
            const { id, to, primary, secondary } = row(item);
            return (
              <ListItem key={id} disablePadding>
                <ListItemButton component={Link} to={to} sx={{ borderRadius: 1, mx: -1, px: 1 }}>
                  <ListItemText primary={primary} secondary={secondary} />
                </ListItemButton>
              </ListItem>
            );
          })}
        </List>
      )}
    </Section>
  );
}

/** The address of a list with these filters. */
export const filtered = (list: string, filters: Record<string, unknown>) =>
  `/${list}?filter=${encodeURIComponent(JSON.stringify(filters))}`;
