import { Box, MenuItem, TextField } from '@mui/material';
import { FIELDS, type Columns, type Field } from './rows';

const LABELS: Record<Field, string> = { name: 'Name', categoryId: 'Category', status: 'Status' };

/** Which column of the file holds which field. */
export function ColumnPicker({
  names,
  columns,
  onChange,
}: {
  names: string[];
  columns: Columns;
  onChange: (columns: Columns) => void;
}) {
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', sm: 'repeat(3, 1fr)' } }}>
      {FIELDS.map((field) => {
        const isMissing = columns[field] === undefined && field !== 'status';
        return (
          <TextField
            key={field}
            select
            label={LABELS[field]}
            value={columns[field] ?? ''}
            error={isMissing}
            helperText={isMissing ? 'Choose the column that holds it.' : 'Column of the file'}
            onChange={(event) => onChange({ ...columns, [field]: event.target.value || undefined })}
          >
            {field === 'status' && <MenuItem value="">none: all are available</MenuItem>}
            {names.map((name) => (
              <MenuItem key={name} value={name}>
                {name}
              </MenuItem>
            ))}
          </TextField>
        );
      })}
    </Box>
  );
}
