import { fixedError } from '../platform/common/errors/api-error.js';
import { declareErrors } from '../platform/common/errors/error-kind.js';

export const EVENT_ERRORS = declareErrors({
  event_expired: {
    status: 410,
    when: 'The cursor of listEvents is older than the events that are kept, or it belongs to a history that a restored backup has replaced.',
    remedy:
      'Events are missing. Take `cursor=latest`, read the lists again, then follow from that cursor. Events are kept for 30 days, unless the operator chose otherwise: ask more often.',
    example:
      'Events after this cursor are no longer kept. Take cursor=latest, read the lists again, then follow from that cursor.',
  },
});

export const eventExpired = () => fixedError(EVENT_ERRORS.event_expired);
