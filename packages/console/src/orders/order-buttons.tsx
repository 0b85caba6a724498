import { Button } from '@mui/material';
import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { sentenceOf } from '../api/problems';
import { Confirm } from '../shared/confirm';
import { ACTIONS, verbsFor, type OrderRecord, type Verb } from './actions';
import { useAnimalName } from './names';

/** The buttons of what may be done with an order. */
export function OrderButtons({ order, size = 'small' }: { order: OrderRecord; size?: 'small' | 'medium' }) {
  const [asked, setAsked] = useState<Verb>();
  const [busy, setBusy] = useState<Verb>();
  const animal = useAnimalName(order.petId) ?? `Animal ${String(order.petId)}`;
  const notify = useNotify();
  const refresh = useRefresh();
  async function take(verb: Verb) {
    await ACTIONS[verb].run(order.id);
    notify(`Order ${String(order.id)} is ${ACTIONS[verb].done}.`, { type: 'success' });
    refresh();
  }
  async function takeAtOnce(verb: Verb) {
    setBusy(verb);
    try {
      await take(verb);
    } catch (error) {
      notify(`Order ${String(order.id)}: ${sentenceOf(error)}`, { type: 'error' });
      refresh();
    } finally {
      setBusy(undefined);
    }
  }
  return (
    <>
      {verbsFor(order.status).map((verb) => (
        <Button
          key={verb}
          size={size}
          variant={verb === 'cancel' ? 'text' : 'outlined'}
          color={verb === 'cancel' ? 'inherit' : 'primary'}
          loading={busy === verb}
          aria-label={`${ACTIONS[verb].label}: order ${String(order.id)}`}
          onClick={() => (ACTIONS[verb].question ? setAsked(verb) : void takeAtOnce(verb))}
        >
          {verb === 'cancel' ? 'Cancel' : ACTIONS[verb].label}
        </Button>
      ))}
      {asked && (
        <Confirm
          title={`${ACTIONS[asked].label} ${String(order.id)}?`}
          action={ACTIONS[asked].label}
          danger={asked === 'cancel'}
          onConfirm={() => take(asked)}
          onClose={() => setAsked(undefined)}
        >
          {ACTIONS[asked].question?.(animal)}
        </Confirm>
      )}
    </>
  );
}
