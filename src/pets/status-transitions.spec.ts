import { describe, expect, it } from '@jest/globals';
import { PET_STATUSES } from './pet.js';
import { mayBecome } from './status-transitions.js';

describe('the transitions of a status', () => {
  it.each(PET_STATUSES.flatMap((from) => PET_STATUSES.map((to) => [from, to] as const)))(
    'from %s to %s',
    (from, to) => {
      const allowed = [
        'available available',
        'available pending',
        'available sold',
        'pending available',
        'pending pending',
        'pending sold',
        'sold sold',
      ];
      expect(mayBecome(from, to)).toBe(allowed.includes(`${from} ${to}`));
    },
  );
});
