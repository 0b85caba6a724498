import BackIcon from '@mui/icons-material/ChevronLeft';
import NextIcon from '@mui/icons-material/ChevronRight';
import { Button, MenuItem, Stack, TextField, Typography } from '@mui/material';
import { useListContext } from 'react-admin';

const SIZES = [10, 25, 50, 100];

/** The way through the pages of a list whose length is not known. */
export function Pages() {
  const { data, error, page, perPage, setPage, setPerPage, hasNextPage } = useListContext();
  if (error || data === undefined || (data.length === 0 && page === 1)) return null;
  const first = (page - 1) * perPage + 1;
  return (
    <Stack
      direction="row"
      component="nav"
      aria-label="Pages"
      sx={{ alignItems: 'center', justifyContent: 'flex-end', flexWrap: 'wrap', gap: 1, py: 1.5 }}
    >
      <TextField
        select
        label="Rows"
        value={perPage}
        onChange={(event) => setPerPage(Number(event.target.value))}
        sx={{ width: 88, m: 0 }}
      >
        {SIZES.map((size) => (
          <MenuItem key={size} value={size}>
            {size}
          </MenuItem>
        ))}
      </TextField>
      <Typography variant="body2" role="status" sx={{ mx: 1 }}>
        {data.length === 0 ? 'none' : `${String(first)}–${String(first + data.length - 1)}`}
        {hasNextPage && ', and more'}
      </Typography>
      <Button size="small" startIcon={<BackIcon />} disabled={page === 1} onClick={() => setPage(page - 1)}>
        Previous
      </Button>
      <Button size="small" endIcon={<NextIcon />} disabled={!hasNextPage} onClick={() => setPage(page + 1)}>
        Next
      </Button>
    </Stack>
  );
}
