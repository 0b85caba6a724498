import { describe, expect, it } from '@jest/globals';
import { isAllowedTransition, PET_STATUSES } from './pet-status.js';

const ALLOWED = [
  'available available',
  'available pending',
  'available sold',
  'pending available',
  'pending pending',
  'pending sold',
  'sold sold',
];

describe('a transition of the status of a pet', () => {
  it.each(PET_STATUSES.flatMap((from) => PET_STATUSES.map((to) => [from, to] as const)))(
    'from %s to %s',
    (from, to) => {
      expect(isAllowedTransition(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
    },
  );
});
