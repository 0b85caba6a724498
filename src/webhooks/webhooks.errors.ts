import type { Plan } from '../auth/plans.js';
import { ApiError } from '../platform/common/errors/api-error.js';
import { declareErrors } from '../platform/common/errors/error-kind.js';
import { describeValue } from '../platform/common/describe-value.js';

export const WEBHOOK_ERRORS = declareErrors({
  webhook_not_found: {
    status: 404,
    when: 'No webhook has this id, the id is not a UUID, or the webhook belongs to another key.',
    remedy: 'Check the id, and use the key that created the webhook. `GET /v1/webhooks` lists them.',
    example: 'There is no webhook with the id "c9e9cb7c-0000-4000-8000-000000000000".',
  },
  too_many_webhooks: {
    status: 409,
    when: 'The key has as many webhooks as its plan allows: 1 with free, 5 with pro, 20 with business and enterprise.',
    remedy: 'Delete a webhook, or let one webhook take events of several types.',
    example: 'The plan free allows 1 webhook, and this key has it.',
  },
});

/** `id`: also the text of a path parameter that is not a UUID. A webhook of another key is not found either. */
export const webhookNotFound = (id: string) =>
  new ApiError(WEBHOOK_ERRORS.webhook_not_found, `There is no webhook with the id ${describeValue(id)}.`);

export const tooManyWebhooks = (plan: Plan, bound: number) =>
  new ApiError(
    WEBHOOK_ERRORS.too_many_webhooks,
    bound === 1
      ? `The plan ${plan} allows 1 webhook, and this key has it.`
      : `The plan ${plan} allows ${String(bound)} webhooks, and this key has as many.`,
  );
