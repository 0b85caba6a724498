import type { SortOrder } from '../../platform/common/paging.js';
import type { Access } from '../access.js';
import type { Plan } from '../plans.js';
import type { KeyState } from './api-key.js';

/** A condition on keys that another feature has in its own tables. */
export interface KeyCondition {
  /** Identifies the condition in the cursors of a list. */
  name: string;
  /** Its SQL, from the expression of the id of a key. */
  sqlOf: (id: string) => string;
  /** The values of its `:names`. */
  parameters: Record<string, unknown>;
}

/** The filters of a list; an absent filter excludes nothing. */
export interface KeyFilter {
  plan?: Plan | undefined;
  access?: Access | undefined;
  state?: KeyState | undefined;
  /** A part of the name or the reference, or how a secret begins. */
  q?: string | undefined;
  reference?: string | undefined;
  /** What another feature knows of the key. */
  condition?: KeyCondition | undefined;
  /** By creation; oldest first by default. */
  order?: SortOrder | undefined;
}
