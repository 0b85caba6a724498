import { randomBytes } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';
/** 24 bytes need no padding in base64. */
const SECRET_BYTES = 24;

/** A new secret, in the form of Standard Webhooks. */
export const newWebhookSecret = () => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
