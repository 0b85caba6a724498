import { EventsView } from './events-view';

export const eventViews = { routes: [{ path: '/events', element: <EventsView /> }] };
