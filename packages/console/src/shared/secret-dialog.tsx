import CheckIcon from '@mui/icons-material/Check';
import CopyIcon from '@mui/icons-material/ContentCopy';
import {
  Alert,
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Typography,
} from '@mui/material';
import { useId, useState, type ReactNode } from 'react';

/** A secret that is shown once. Escape and a click beside it do not close the dialog. */
export function SecretDialog({
  title,
  secret,
  children,
  onClose,
}: {
  title: string;
  secret: string;
  children: ReactNode;
  onClose: () => void;
}) {
  const [copied, setCopied] = useState<'yes' | 'failed'>();
  const titleId = useId();
  async function copy() {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied('yes');
    } catch {
      // Browsers have a clipboard for pages of secure contexts only.
      setCopied('failed');
    }
  }
  return (
    <Dialog open aria-labelledby={titleId} fullWidth maxWidth="sm">
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          This is the only time that the secret is shown. Store it now.
        </Alert>
        <Box
          component="output"
          aria-label="Secret"
          sx={{
            display: 'block',
            p: 1.5,
            borderRadius: 1,
            bgcolor: 'background.default',
            fontFamily: 'ui-monospace, monospace',
            overflowWrap: 'anywhere',
            userSelect: 'all',
          }}
        >
          {secret}
        </Box>
        <Button
          startIcon={copied === 'yes' ? <CheckIcon /> : <CopyIcon />}
          onClick={() => void copy()}
          variant="outlined"
          autoFocus
          sx={{ mt: 1.5 }}
        >
          Copy
        </Button>
        <Typography component="span" role="status" sx={{ ml: 1.5 }}>
          {copied === 'yes' && 'Copied.'}
          {copied === 'failed' && 'This browser does not copy: select the text.'}
        </Typography>
        <Typography sx={{ mt: 2 }} color="textSecondary">
          {children}
        </Typography>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          I have stored it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
