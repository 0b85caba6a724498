import { Alert, Snackbar, useMediaQuery, type Theme } from '@mui/material';
import { useEffect, useState } from 'react';
import { useNotificationContext, useTranslate, type NotificationPayload } from 'react-admin';

const SHOWN_MS = 8_000;

/** What the console says that it did. The newest is shown at once: react-admin's own waits until the one before it has gone. */
export function Notices() {
  const { notifications, takeNotification } = useNotificationContext();
  const translate = useTranslate();
  const [{ notice, number }, setNotice] = useState<{ notice?: NotificationPayload; number: number }>({
    number: 0,
  });
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const next = notifications.length > 0 ? takeNotification() : undefined;
    if (!next) return;
    setNotice((before) => ({ notice: next, number: before.number + 1 }));
    setOpen(true);
  }, [notifications, takeNotification]);
  const isPhone = useMediaQuery((theme: Theme) => theme.breakpoints.down('sm'));
  if (!notice) return null;
  const { message, type, notificationOptions } = notice;
  const close = () => setOpen(false);
  return (
    <Snackbar
      key={number}
      open={isOpen}
      autoHideDuration={SHOWN_MS}
      // Where no button of a form lies.
      anchorOrigin={
        isPhone ? { vertical: 'top', horizontal: 'center' } : { vertical: 'bottom', horizontal: 'left' }
      }
      onClose={(_event, reason) => {
        if (reason !== 'clickaway') close();
      }}
    >
      <Alert
        severity={type === 'success' || type === 'warning' || type === 'error' ? type : 'info'}
        variant="filled"
        onClose={close}
        sx={{ width: '100%' }}
      >
        {typeof message === 'string' ? translate(message, notificationOptions?.messageArgs) : message}
      </Alert>
    </Snackbar>
  );
}
