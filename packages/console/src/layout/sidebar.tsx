import { useMediaQuery, type Theme } from '@mui/material';
import { Sidebar, type SidebarProps } from 'react-admin';

/** The place of the navigation: on a phone a dialog, which needs a name. */
export function ConsoleSidebar(props: SidebarProps) {
  const isPhone = useMediaQuery((theme: Theme) => theme.breakpoints.down('sm'));
  return <Sidebar {...props} {...(isPhone && { slotProps: { paper: { 'aria-label': 'Navigation' } } })} />;
}
