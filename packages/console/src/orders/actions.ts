import type { Order, OrderStatus } from 'animal-store-client';
import { int64Of, type RecordOf } from '../api/records';
import { client, may } from '../session/session';

export type OrderRecord = RecordOf<Order> & { reference?: string | null; expiresAt?: string | null };
export type Verb = 'approve' | 'deliver' | 'cancel';

interface Action {
  label: string;
  done: string;
  /** The states that allow it. */
  from: readonly OrderStatus[];
  access: 'order' | 'manage';
  /** What it means, asked before it is taken; undefined: it can be taken back, so it is not asked. */
  question?: (animal: string) => string;
  run: (id: unknown) => Promise<Order>;
}

export const ACTIONS: Record<Verb, Action> = {
  approve: {
    label: 'Approve',
    done: 'approved',
    from: ['placed'],
    access: 'manage',
    run: (id) => client().approveOrder(int64Of(id)),
  },
  deliver: {
    label: 'Deliver',
    done: 'delivered',
    from: ['approved'],
    access: 'manage',
    question: (animal) => `${animal} becomes sold, for good.`,
    run: (id) => client().deliverOrder(int64Of(id)),
  },
  cancel: {
    label: 'Cancel order',
    done: 'cancelled',
    from: ['placed', 'approved'],
    access: 'order',
    question: (animal) => `${animal} becomes available again. A cancelled order does not come back.`,
    run: (id) => client().cancelOrder(int64Of(id)),
  },
};

export const VERBS = Object.keys(ACTIONS) as Verb[];

/** What the key that is signed in may do with an order in this state. */
export const verbsFor = (status: OrderStatus) =>
  VERBS.filter((verb) => may(ACTIONS[verb].access) && ACTIONS[verb].from.includes(status));
