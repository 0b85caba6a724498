import ArrowBackIcon from '@mui/icons-material/ArrowBack';
import { Box, Button } from '@mui/material';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

/** The way back to a list, with what else may be done. */
export const BackLink = ({
  to,
  children,
  actions,
}: {
  to: string;
  children: ReactNode;
  actions?: ReactNode;
}) => (
  <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, py: 1.5, alignItems: 'center' }}>
    <Button component={Link} to={to} startIcon={<ArrowBackIcon />} size="small">
      {children}
    </Button>
    <Box sx={{ flex: 1 }} />
    {actions}
  </Box>
);
