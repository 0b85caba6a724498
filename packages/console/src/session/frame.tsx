import PetsIcon from '@mui/icons-material/Pets';
import { Box, Card, Stack, Typography } from '@mui/material';
import type { ReactNode } from 'react';

/** The card in the middle of the page, before the console opens. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box component="main" sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', p: 2 }}>
      <Card sx={{ width: '100%', maxWidth: 440, p: { xs: 2.5, sm: 4 } }}>
        <Stack direction="row" spacing={1} sx={{ alignItems: 'center', color: 'primary.main', mb: 2 }}>
          <PetsIcon />
          <Typography component="span" sx={{ fontWeight: 650 }}>
            Animal store
          </Typography>
        </Stack>
        <Typography variant="h1" sx={{ mb: 1 }}>
          {title}
        </Typography>
        {children}
      </Card>
    </Box>
  );
}
