import { type Access, isAccessEnough } from '../auth/access.js';
import type { Plan } from '../auth/plans.js';

/** The most webhooks of a key. Source: the service interface, "Webhooks". */
export const MAX_WEBHOOKS: Readonly<Record<Plan, number>> = { free: 1, pro: 5, business: 20, enterprise: 20 };

/** Whether a key with this access may have webhooks; undefined: it is revoked or has expired. */
export const mayHaveWebhooks = (access: Access | undefined): boolean =>
  access !== undefined && isAccessEnough(access, 'order');
