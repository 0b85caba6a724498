import { Chip, Stack } from '@mui/material';
import { useListContext } from 'react-admin';

/** One filter of a list as chips, of which one is pressed. */
export function FilterChips({
  label,
  source,
  choices,
}: {
  label: string;
  source: string;
  choices: readonly { value: string | undefined; label: string }[];
}) {
  const context = useListContext();
  const filters = context.filterValues as Record<string, unknown>;
  return (
    <Stack direction="row" role="group" aria-label={label} sx={{ flexWrap: 'wrap', gap: 0.75, mb: 1.5 }}>
      {choices.map(({ value, label: text }) => {
        const isPressed = filters[source] === value;
        return (
          <Chip
            key={text}
            label={text}
            component="button"
            clickable
            color={isPressed ? 'primary' : 'default'}
            variant={isPressed ? 'filled' : 'outlined'}
            aria-pressed={isPressed}
            onClick={() => {
              const others = Object.fromEntries(Object.entries(filters).filter(([name]) => name !== source));
              const next = value === undefined ? others : { ...others, [source]: value };
              context.setFilters(next, context.displayedFilters as Record<string, boolean>, false);
            }}
          />
        );
      })}
    </Stack>
  );
}
