import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
  Typography,
} from '@mui/material';
import { useId, useState, type SubmitEvent } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { sentenceOf } from '../api/problems';
import { int64Of } from '../api/records';
import { client, may } from '../session/session';
import { localTime } from '../shared/time';
import type { AnimalRecord } from './animal-form';

/** Orders an animal that is available. */
export function OrderAnimalButton({ animal }: { animal: AnimalRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {may('order') && animal.status === 'available' && (
        <Button
          size="small"
          variant="outlined"
          aria-label={`Order ${animal.name}`}
          onClick={(event) => {
            event.stopPropagation();
            setOpen(true);
          }}
        >
          Order
        </Button>
      )}
      {isOpen && <OrderDialog animal={animal} onClose={() => setOpen(false)} />}
    </>
  );
}

function OrderDialog({ animal, onClose }: { animal: AnimalRecord; onClose: () => void }) {
  const [reference, setReference] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const titleId = useId();
  const notify = useNotify();
  const refresh = useRefresh();
  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (Array.from(reference).length > 255) {
      setProblem('At most 255 characters.');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      const order = { petId: int64Of(animal.id), ...(reference !== '' && { reference }) };
      const { id, expiresAt } = (await client().placeOrder(order)) as {
        id: unknown;
        expiresAt?: string | null;
      };
      const held = expiresAt ? ` It is held for you until ${localTime(expiresAt)}.` : '';
      notify(`Order ${String(id)} is placed: ${animal.name}.${held}`, { type: 'success' });
      refresh();
      onClose();
    } catch (error) {
      setProblem(sentenceOf(error));
      setBusy(false);
    }
  }
  // A refresh removes an animal that is no longer available from the list, and this dialog with it. So the reason is read first.
  function close() {
    if (problem !== undefined) refresh();
    onClose();
  }
  return (
    <Dialog
      open
      onClose={close}
      aria-labelledby={titleId}
      fullWidth
      maxWidth="xs"
      onClick={(event) => event.stopPropagation()}
    >
      <form onSubmit={(event) => void submit(event)} noValidate>
        <DialogTitle id={titleId}>Order {animal.name}</DialogTitle>
        <DialogContent>
          <Typography color="textSecondary">
            The animal is reserved at once. The store approves the order.
          </Typography>
          <TextField
            label="Your reference"
            value={reference}
            onChange={(event) => setReference(event.target.value)}
            error={problem !== undefined}
            helperText={problem ?? 'Your own number of the order, if you have one.'}
            autoFocus
            autoComplete="off"
            sx={{ mt: 2 }}
            slotProps={{ formHelperText: { role: problem === undefined ? undefined : 'alert' } }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained" loading={isBusy}>
            Place order
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
