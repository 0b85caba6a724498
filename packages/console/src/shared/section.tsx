import { Box, Card, Stack, Typography } from '@mui/material';
import type { ReactNode } from 'react';

/** A card with a heading. */
export function Section({
  title,
  actions,
  children,
  maxWidth,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
  /** The widest that it gets. */
  maxWidth?: number;
}) {
  return (
    <Card component="section" aria-label={title} sx={{ p: { xs: 2, sm: 2.5 }, maxWidth }}>
      <Stack direction="row" sx={{ mb: 1.5, gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography variant="h2" sx={{ flex: 1 }}>
          {title}
        </Typography>
        {actions}
      </Stack>
      {children}
    </Card>
  );
}

/** Names with their values. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', sm: 'minmax(120px, max-content) 1fr' },
        columnGap: 3,
        rowGap: { xs: 0, sm: 1 },
      }}
    >
      {facts.map(([name, value]) => (
        <Box key={name} sx={{ display: 'contents' }}>
          <Typography component="dt" variant="body2" color="textSecondary">
            {name}
          </Typography>
          <Typography component="dd" variant="body2" sx={{ m: 0, mb: { xs: 1, sm: 0 }, minWidth: 0 }}>
            {value}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}
