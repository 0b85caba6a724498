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

describe('isAllowedTransition', () => {
  it.each(PET_STATUSES.flatMap((from) => PET_STATUSES.map((to) => [from, to] as const)))(
    'follows the rules from %s to %s',
    (from, to) => {
      expect(isAllowedTransition(from, to)).toBe(ALLOWED.includes(`${from} ${to}`));
    },
  );
});
