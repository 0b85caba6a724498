import PetsIcon from '@mui/icons-material/Pets';
import KeyIcon from '@mui/icons-material/VpnKey';
import OrdersIcon from '@mui/icons-material/ReceiptLong';
import EventsIcon from '@mui/icons-material/Bolt';
import SpeedIcon from '@mui/icons-material/Speed';
import WebhookIcon from '@mui/icons-material/Webhook';
import type { ComponentType, ReactElement } from 'react';
import type { ResourceProps } from 'react-admin';
import { animalViews } from './animals';
import { eventViews } from './events';
import { keyViews } from './keys';
import { MyKey } from './my-key/my-key';
import { orderViews } from './orders';
import type { Access } from './session/session';
import { webhookViews } from './webhooks';

export interface View {
  /** The address behind `#/`, and the name of the resource where it is one. */
  name: string;
  label: string;
  icon: ComponentType;
  /** The least access that opens it. */
  access: Access;
  group: 'Store' | 'My key';
  resource?: () => Omit<ResourceProps, 'name'>;
  routes?: { path: string; element: ReactElement }[];
}

/** Every view of the console, in the order of the navigation. A view that is added here has its address and its place in the navigation. */
export const VIEWS: View[] = [
  { name: 'orders', label: 'Orders', icon: OrdersIcon, access: 'order', group: 'Store', ...orderViews },
  { name: 'animals', label: 'Animals', icon: PetsIcon, access: 'read', group: 'Store', ...animalViews },
  { name: 'events', label: 'Events', icon: EventsIcon, access: 'manage', group: 'Store', ...eventViews },
  { name: 'keys', label: 'Keys', icon: KeyIcon, access: 'admin', group: 'Store', ...keyViews },
  {
    name: 'my-key',
    label: 'My key',
    icon: SpeedIcon,
    access: 'read',
    group: 'My key',
    routes: [{ path: '/my-key', element: <MyKey /> }],
  },
  {
    name: 'webhooks',
    label: 'Webhooks',
    icon: WebhookIcon,
    access: 'order',
    group: 'My key',
    ...webhookViews,
  },
];
