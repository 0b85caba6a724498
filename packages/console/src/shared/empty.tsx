import { Box, Typography } from '@mui/material';
import type { ComponentType, ReactNode } from 'react';
import type { SvgIconProps } from '@mui/material';

/** A list that has nothing yet: what it will show, and the first step. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: ComponentType<SvgIconProps>;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Box sx={{ textAlign: 'center', px: 2, py: 8, maxWidth: 480, mx: 'auto' }}>
      <Icon color="primary" sx={{ fontSize: 48, mb: 1 }} />
      <Typography variant="h2">{title}</Typography>
      <Typography color="textSecondary" sx={{ mb: 2 }}>
        {children}
      </Typography>
      {action}
    </Box>
  );
}
