import PetsIcon from '@mui/icons-material/Pets';
import { Box, Link, Typography } from '@mui/material';
import { AppBar, TitlePortal, UserMenu, type AppBarProps } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { me } from '../session/session';

/** Product name and link home, the title of the view, the switch of the theme, and whose key is signed in. */
export const ConsoleAppBar = (props: AppBarProps) => (
  <AppBar {...props} userMenu={<UserMenu label={`Your key: ${me().name}`} />}>
    <Link
      component={RouterLink}
      to="/"
      underline="none"
      color="inherit"
      sx={{ display: { xs: 'none', sm: 'flex' }, alignItems: 'center', gap: 1, mr: 2 }}
    >
      <PetsIcon color="primary" />
      <Typography component="span" sx={{ fontWeight: 650, whiteSpace: 'nowrap' }}>
        Animal store
      </Typography>
    </Link>
    <TitlePortal component="h1" sx={{ fontSize: '1rem', fontWeight: 600 }} />
    <Box sx={{ flex: { xs: 0, sm: 1 } }} />
  </AppBar>
);
