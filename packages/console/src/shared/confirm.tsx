import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
  Typography,
} from '@mui/material';
import { useId, useState, type ReactNode, type SubmitEvent } from 'react';
import { sentenceOf } from '../api/problems';

interface ConfirmProps {
  title: string;
  children: ReactNode;
  action: string;
  /** The text to type before the action is taken. */
  typed?: string;
  danger?: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** A question before an action that cannot be taken back. It stays open with the reason when the action fails. */
export function Confirm({ title, children, action, typed, danger, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [mismatch, setMismatch] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const titleId = useId();
  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (typed !== undefined && text !== typed) {
      setMismatch(true);
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      aria-labelledby={titleId}
      fullWidth
      maxWidth="xs"
      onClick={(event) => event.stopPropagation()}
    >
      <form onSubmit={(event) => void submit(event)} noValidate>
        <DialogTitle id={titleId}>{title}</DialogTitle>
        <DialogContent>
          <Typography component="div">{children}</Typography>
          {typed !== undefined && (
            <TextField
              label="Type the name to confirm"
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setMismatch(false);
              }}
              error={mismatch}
              helperText={mismatch ? `That is not the name. Type “${typed}”.` : `The name is “${typed}”.`}
              autoFocus
              autoComplete="off"
              sx={{ mt: 2 }}
            />
          )}
          {problem !== undefined && (
            <Alert severity="error" sx={{ mt: 2 }}>
              {problem}
            </Alert>
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="contained"
            color={danger ? 'error' : 'primary'}
            loading={isBusy}
            autoFocus={typed === undefined}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
