import DashboardIcon from '@mui/icons-material/SpaceDashboard';
import MenuBookIcon from '@mui/icons-material/MenuBook';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import HelpIcon from '@mui/icons-material/HelpOutlined';
import {
  Box,
  List,
  ListItem,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  ListSubheader,
  useMediaQuery,
} from '@mui/material';
import type { ComponentType } from 'react';
import { useSidebarState } from 'react-admin';
import { NavLink, useLocation } from 'react-router-dom';
import { may } from '../session/session';
import { VIEWS } from '../views';

interface Target {
  label: string;
  icon: ComponentType;
  /** An address of the console. */
  to?: string;
  /** Another page of the service. */
  href?: string;
}

/** The groups of every page of the service: Store, My key, Learn. */
export function Navigation() {
  const views = VIEWS.filter(({ access }) => may(access));
  const of = (group: string): Target[] =>
    views
      .filter((view) => view.group === group)
      .map(({ name, label, icon }) => ({ label, icon, to: `/${name}` }));
  const store: Target[] = [{ label: 'Overview', icon: DashboardIcon, to: '/' }, ...of('Store')];
  const learn: Target[] = [
    { label: 'API documentation', icon: MenuBookIcon, href: 'docs' },
    { label: 'Errors', icon: ErrorIcon, href: 'docs/errors' },
    { label: 'Questions', icon: HelpIcon, href: 'docs/faq' },
  ];
  return (
    <Box component="nav" aria-label="Console" sx={{ py: 1 }}>
      <Group title="Store" targets={store} />
      <Group title="My key" targets={of('My key')} />
      <Group title="Learn" targets={learn} />
    </Box>
  );
}

function Group({ title, targets }: { title: string; targets: Target[] }) {
  const [isOpen, setOpen] = useSidebarState();
  const isSmall = useMediaQuery((theme) => theme.breakpoints.down('md'));
  const { pathname } = useLocation();
  const close = () => {
    if (isSmall) setOpen(false);
  };
  return (
    <List
      dense
      aria-label={title}
      subheader={
        isOpen ? (
          <ListSubheader
            component="div"
            disableSticky
            aria-hidden
            sx={{ lineHeight: '32px', bgcolor: 'transparent' }}
          >
            {title}
          </ListSubheader>
        ) : undefined
      }
    >
      {targets.map(({ label, icon: Icon, to, href }) => {
        const isCurrent = to !== undefined && (to === '/' ? pathname === '/' : pathname.startsWith(to));
        return (
          <ListItem key={label} disablePadding>
            <ListItemButton
              {...(to === undefined
                ? { component: 'a', href }
                : { component: NavLink, to, onClick: close, end: true })}
              selected={isCurrent}
              title={isOpen ? undefined : label}
              aria-label={label}
              sx={{ minHeight: 40, mx: 0.5, borderRadius: 1 }}
            >
              <ListItemIcon sx={{ minWidth: 36, color: isCurrent ? 'primary.main' : undefined }}>
                <Icon />
              </ListItemIcon>
              {isOpen && <ListItemText primary={label} slotProps={{ primary: { noWrap: true } }} />}
            </ListItemButton>
          </ListItem>
        );
      })}
    </List>
  );
}
