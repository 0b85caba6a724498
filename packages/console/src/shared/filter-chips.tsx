import { Chip, Stack } from '@mui/material';
import { useListContext } from 'react-admin';

interface ChipsProps {
  label: string;
  choices: readonly { value: string | undefined; label: string }[];
}

/** Choices as chips, of which one is pressed. */
export const Chips = ({
  label,
  choices,
  chosen,
  onChoose,
}: ChipsProps & { chosen: unknown; onChoose: (value: string | undefined) => void }) => (
  <Stack direction="row" role="group" aria-label={label} sx={{ flexWrap: 'wrap', gap: 0.75, mb: 1.5 }}>
    {choices.map(({ value, label: text }) => {
      const isPressed = chosen === value;
      return (
        <Chip
          key={text}
          label={text}
          component="button"
          clickable
          color={isPressed ? 'primary' : 'default'}
          variant={isPressed ? 'filled' : 'outlined'}
          aria-pressed={isPressed}
          onClick={() => onChoose(value)}
        />
      );
    })}
  </Stack>
);

/** One filter of a list as chips. */
export function FilterChips({ source, ...props }: ChipsProps & { source: string }) {
  const context = useListContext();
  const filters = context.filterValues as Record<string, unknown>;
  return (
    <Chips
      {...props}
      chosen={filters[source]}
      onChoose={(value) => {
        const others = Object.fromEntries(Object.entries(filters).filter(([name]) => name !== source));
        const next = value === undefined ? others : { ...others, [source]: value };
        context.setFilters(next, context.displayedFilters as Record<string, boolean>, false);
      }}
    />
  );
}
