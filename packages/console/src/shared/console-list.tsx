import { Box, Card, Checkbox, Skeleton, Stack, Typography, useMediaQuery, type Theme } from '@mui/material';
import { cloneElement, type ReactElement, type ReactNode } from 'react';
import {
  BulkActionsToolbar,
  DataTable,
  List,
  RecordContextProvider,
  useListContext,
  type Identifier,
  type RaRecord,
} from 'react-admin';
import { Link } from 'react-router-dom';
import { Pages } from './pages';
import { ListProblem } from './problem';

export interface Column<Item> {
  label: string;
  render: (item: Item) => ReactNode;
  /** Leaves the column out of tables on screens that are not wide. */
  onlyWide?: boolean;
}

const STYLE = {
  '& .RaList-content': { boxShadow: 'none', bgcolor: 'transparent', border: 0, overflow: 'visible' },
  '& .RaList-actions': { bgcolor: 'transparent', alignItems: { xs: 'stretch', sm: 'center' }, pt: 1.5 },
  '& .RaList-actions > *': { bgcolor: 'transparent', alignItems: 'center' },
  '& .RaList-actions > .MuiToolbar-root': { justifyContent: 'flex-end', p: 0, minHeight: 40 },
};

interface ConsoleListProps<Item extends RaRecord> {
  title: string;
  /** What one of them is called, for a screen reader. */
  nameOf: (item: Item) => string;
  columns: Column<Item>[];
  /** What a card on a phone shows: the first line, beside it, and below it. */
  card: {
    title: (item: Item) => ReactNode;
    aside?: (item: Item) => ReactNode;
    lines: (item: Item) => ReactNode[];
  };
  /** The address that a row leads to. */
  linkOf: (item: Item) => string;
  /** The buttons of one row. */
  rowActions?: (item: Item) => ReactNode;
  bulkActions?: ReactElement;
  isSelectable?: (item: Item) => boolean;
  /** Above the rows: chips that filter. */
  chips?: ReactNode;
  filters?: ReactElement<{ alwaysOn?: boolean }>[];
  actions: ReactElement;
  empty: ReactElement;
  filterDefaults?: Record<string, unknown>;
}

/** A list as a table, and as cards on a phone; with pages, filters, and a line for each of nothing, an error and a lost network. */
export function ConsoleList<Item extends RaRecord>(props: ConsoleListProps<Item>) {
  const { title, filters, actions, empty, chips, filterDefaults } = props;
  const isPhone = useMediaQuery((theme: Theme) => theme.breakpoints.down('sm'));
  // On a phone the rows come first: every filter waits behind the button.
  const shown = isPhone ? filters?.map((filter) => cloneElement(filter, { alwaysOn: false })) : filters;
  return (
    <List
      title={title}
      filters={shown}
      actions={actions}
      empty={empty}
      error={<ListProblem />}
      exporter={false}
      perPage={25}
      sort={{ field: 'id', order: 'DESC' }}
      {...(filterDefaults && { filterDefaultValues: filterDefaults })}
      pagination={<Pages />}
      queryOptions={{ onError: () => undefined }}
      sx={STYLE}
    >
      {chips}
      {isPhone ? <Cards {...props} /> : <Table {...props} />}
    </List>
  );
}

function Table<Item extends RaRecord>(props: ConsoleListProps<Item>) {
  const { columns, linkOf, rowActions, bulkActions, isSelectable, title } = props;
  const isWide = useMediaQuery((theme: Theme) => theme.breakpoints.up('md'));
  return (
    <Card sx={{ overflow: 'hidden' }}>
      <DataTable<Item>
        rowClick={(_id, _resource, record) => linkOf(record)}
        bulkActionButtons={bulkActions ?? false}
        empty={<NothingFound />}
        {...(isSelectable && { isRowSelectable: (record: Item) => isSelectable(record) })}
        sx={{ '& .RaDataTable-tableWrapper': { overflowX: 'auto' }, '& td': { height: 49, py: 0.5 } }}
        aria-label={title}
      >
        {columns
          .filter(({ onlyWide }) => isWide || !onlyWide)
          .map(({ label, render }) => (
            <DataTable.Col<Item> key={label} label={label} disableSort render={(record) => render(record)} />
          ))}
        {rowActions && (
          <DataTable.Col<Item>
            label="Actions"
            disableSort
            render={(record) => (
              <Stack direction="row" spacing={1} onClick={(event) => event.stopPropagation()}>
                {rowActions(record)}
              </Stack>
            )}
          />
        )}
      </DataTable>
    </Card>
  );
}

function Cards<Item extends RaRecord>(props: ConsoleListProps<Item>) {
  const { card, linkOf, rowActions, bulkActions, isSelectable = () => true, nameOf, title } = props;
  const { data, isPending, selectedIds, onToggleItem } = useListContext<Item>();
  if (isPending || data === undefined) return <Waiting />;
  if (data.length === 0) return <NothingFound />;
  return (
    <Box>
      {bulkActions && <BulkActionsToolbar>{bulkActions}</BulkActionsToolbar>}
      <Stack component="ul" spacing={1} aria-label={title} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {data.map((item) => (
          <RecordContextProvider key={item.id} value={item}>
            <Card component="li" sx={{ p: 1.5 }}>
              <Stack direction="row" spacing={1} sx={{ alignItems: 'flex-start' }}>
                {bulkActions && (
                  <Checkbox
                    sx={{ p: 0.5, ml: -0.5 }}
                    disabled={!isSelectable(item)}
                    checked={(selectedIds as Identifier[]).includes(item.id)}
                    onChange={() => onToggleItem(item.id)}
                    slotProps={{ input: { 'aria-label': `Select ${nameOf(item)}` } }}
                  />
                )}
                <Box sx={{ flex: 1, minWidth: 0 }}>
                  <Stack
                    direction="row"
                    spacing={1}
                    sx={{ justifyContent: 'space-between', alignItems: 'flex-start' }}
                  >
                    <Typography
                      component={Link}
                      to={linkOf(item)}
                      sx={{ fontWeight: 600, color: 'primary.main', minWidth: 0, py: 0.25 }}
                    >
                      {card.title(item)}
                    </Typography>
                    {card.aside?.(item)}
                  </Stack>
                  {card.lines(item).map((line, index) => (
                    <Typography key={index} variant="body2" color="textSecondary" component="div">
                      {line}
                    </Typography>
                  ))}
                  {rowActions && (
                    <Stack
                      direction="row"
                      spacing={1}
                      sx={{ mt: 1, flexWrap: 'wrap', '&:empty': { display: 'none' } }}
                    >
                      {rowActions(item)}
                    </Stack>
                  )}
                </Box>
              </Stack>
            </Card>
          </RecordContextProvider>
        ))}
      </Stack>
    </Box>
  );
}

function NothingFound() {
  const context = useListContext();
  const { page, setPage, setFilters } = context;
  const isFiltered = Object.keys(context.filterValues as object).length > 0;
  const text = page > 1 ? 'There is nothing on this page any more.' : 'Nothing matches these filters.';
  return (
    <Box sx={{ p: 4, textAlign: 'center' }}>
      <Typography role="status" sx={{ mb: 1 }}>
        {text}
      </Typography>
      {page > 1 ? (
        <LinkButton onClick={() => setPage(1)}>To the first page</LinkButton>
      ) : (
        isFiltered && <LinkButton onClick={() => setFilters({}, {})}>Show all</LinkButton>
      )}
    </Box>
  );
}

const Waiting = () => (
  <Stack spacing={1} role="status" aria-label="Loading">
    {[0, 1, 2, 3].map((each) => (
      <Skeleton key={each} variant="rounded" height={96} />
    ))}
  </Stack>
);

const LinkButton = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <Typography
    component="button"
    type="button"
    onClick={onClick}
    sx={{
      border: 0,
      background: 'none',
      color: 'primary.main',
      cursor: 'pointer',
      font: 'inherit',
      textDecoration: 'underline',
    }}
  >
    {children}
  </Typography>
);
