import { QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Admin, CustomRoutes, Resource, type AuthProvider } from 'react-admin';
import { Route } from 'react-router-dom';
import { forgetCursors } from './api/paging';
import { dataProvider } from './api/data-provider';
import { store } from './chosen-theme';
import { Dashboard } from './dashboard/dashboard';
import { ConsoleLayout } from './layout/layout';
import { NoSuchView } from './layout/no-such-view';
import { Notices } from './layout/notices';
import { i18nProvider } from './messages';
import { may, me, signOut } from './session/session';
import { dark, light } from './theme';
import { VIEWS } from './views';

const BAR_CHARACTERS = 30;

/** A name for the bar, which has one line. */
function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length > BAR_CHARACTERS ? `${characters.slice(0, BAR_CHARACTERS - 1).join('')}…` : name;
}

/** What react-admin asks about the session, which `session/` keeps: the console is shown to a key that is signed in only. */
const authProvider: AuthProvider = {
  login: () => Promise.resolve(),
  checkAuth: () => Promise.resolve(),
  getPermissions: () => Promise.resolve(me().access),
  getIdentity: () => Promise.resolve({ id: me().id, fullName: shortened(me().name) }),
  logout() {
    signOut();
    return Promise.resolve();
  },
  checkError: () => Promise.resolve(),
};

/** The console of the key that is signed in. What one key has read is gone with its session. */
export default function Console() {
  const queryClient = useMemo(() => {
    forgetCursors();
    // The client repeats what may be repeated. Without a network a request fails, and the page says so.
    const settings = { retry: false, networkMode: 'always' } as const;
    return new QueryClient({ defaultOptions: { queries: settings, mutations: settings } });
  }, []);
  const views = VIEWS.filter(({ access }) => may(access));
  return (
    <Admin
      title="Animal store"
      authProvider={authProvider}
      dataProvider={dataProvider}
      i18nProvider={i18nProvider}
      queryClient={queryClient}
      store={store}
      theme={light}
      darkTheme={dark}
      layout={ConsoleLayout}
      dashboard={Dashboard}
      catchAll={NoSuchView}
      notification={Notices}
      disableTelemetry
    >
      {views.map(({ name, resource }) => resource && <Resource key={name} name={name} {...resource()} />)}
      <CustomRoutes>
        {views.flatMap(({ routes = [] }) =>
          routes.map(({ path, element }) => <Route key={path} path={path} element={element} />),
        )}
      </CustomRoutes>
    </Admin>
  );
}
