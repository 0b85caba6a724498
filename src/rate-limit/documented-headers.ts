import { MAX_PLAN_LIMIT } from '../auth/plans.js';
import { onceRouted, text, type ResponseHeader } from '../platform/http/responses/response-headers.js';
import { MAX_UNIX_SECONDS } from './dto/rate-limit.dto.js';
import {
  LIMIT_HEADER,
  POLICY_HEADER,
  REMAINING_HEADER,
  RESET_HEADER,
  STATE_HEADER,
} from './limit-headers.js';

const COUNT = { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_PLAN_LIMIT };

/** What CORS exposes and the document declares of the headers of a decision. */
export const DECISION_HEADERS: readonly ResponseHeader[] = [
  {
    name: LIMIT_HEADER,
    description: 'The limit of the tightest window.',
    schema: COUNT,
    example: 60,
    on: onceRouted,
  },
  {
    name: REMAINING_HEADER,
    description: 'Requests left in that window.',
    schema: COUNT,
    example: 59,
    on: onceRouted,
  },
  {
    name: RESET_HEADER,
    description: 'When that window ends, in Unix seconds.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_UNIX_SECONDS },
    example: 1_795_132_860,
    on: onceRouted,
  },
  {
    name: POLICY_HEADER,
    description: 'The quota and the seconds of every window.',
    schema: text(128),
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
    on: onceRouted,
  },
  {
    name: STATE_HEADER,
    description: 'What is left of every window, and the seconds until it resets.',
    schema: text(128),
    example: '"minute";r=59;t=42, "day";r=999;t=51234',
    on: onceRouted,
  },
];
