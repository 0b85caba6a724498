import { Alert } from '@mui/material';
import { Layout, type LayoutProps } from 'react-admin';
import { useConnected } from '../api/connection';
import { ConsoleAppBar } from './app-bar';
import { Navigation } from './navigation';
import { ConsoleSidebar } from './sidebar';

/** The frame of every view: the bar, the navigation, and a line while the service cannot be reached. */
export function ConsoleLayout({ children, ...props }: LayoutProps) {
  const isConnected = useConnected();
  return (
    <Layout
      {...props}
      appBar={ConsoleAppBar}
      menu={Navigation}
      sidebar={ConsoleSidebar}
      appBarAlwaysOn
      sx={{ minWidth: 0, '& .RaLayout-content': { minWidth: 0, px: { xs: 1, sm: 2 } } }}
    >
      {!isConnected && (
        <Alert severity="warning" role="status" sx={{ mt: 2 }}>
          No connection to the service. What you see may be out of date, and nothing can be changed.
        </Alert>
      )}
      {children}
    </Layout>
  );
}
