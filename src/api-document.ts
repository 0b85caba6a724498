import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';
import { AUTHENTICATE } from './auth/auth.errors.js';
import { PLANS, type PlanLimits } from './auth/plans.js';
import { Links } from './platform/http/responses/links.js';
import { HTTP_HEADERS, type ResponseHeader } from './platform/http/responses/response-headers.js';
import { REPLAYED } from './platform/idempotency/idempotency.js';
import { buildDocument, type Environments } from './platform/openapi/document.js';
import { DECISION_HEADERS } from './rate-limit/limit-headers.js';

/** Every response header of the API: CORS exposes them, and the document declares them. */
export const RESPONSE_HEADERS: readonly ResponseHeader[] = [
  ...HTTP_HEADERS,
  ...DECISION_HEADERS,
  REPLAYED,
  AUTHENTICATE,
];

const TAGS = {
  Pets: 'The catalogue of animals.',
  Store: 'Orders of animals.',
  Keys: 'API keys: issue, change and revoke them.',
  Limits: 'What is left of the limits, and what was used.',
};

/** `docs`: the address of the documentation. */
const descriptionOf = (
  docs: string,
) => `An HTTP API for a store of animals: a catalogue, orders, and what is left of the limits of a key.

- **Keys.** Every operation needs an API key: \`Authorization: Bearer ask_…\`. The store issues keys: ask the people who run it.
  On your own machine the first start prints a demo key.
- **Limits.** A key has a plan, see below. Every response shows what is left: \`X-RateLimit-Remaining: 59\`. A 429 says when to
  retry: \`Retry-After: 12\`. A key that goes on regardless is banned for 10 minutes, and longer each time.
- **Identifiers** are int64 and exact JSON numbers. Read them with a parser that keeps all digits.
- **Errors** are \`{"code": …, "message": …, "status": …}\`. [Every code](${docs}/errors) has a meaning and a remedy, and an error's
  \`Link\` leads there. A later release may add a code: a client that meets an unknown one goes by the status.
- **Retries.** A POST with an \`Idempotency-Key\` is safe to repeat for 24 hours.
- **Stability.** \`stable\` operations only gain, \`beta\` ones break with 90 days' notice, \`experimental\` ones without
  ([versioning](${docs}/versioning), [changelog](${docs}/changelog)).
- **Questions**, such as "401 although the key is right", have [answers](${docs}/faq).

| Plan | Requests a minute | Requests a UTC day |
| --- | --- | --- |
${Object.entries(PLANS).map(planRow).join('\n')}`;

function planRow([name, limits]: [string, PlanLimits | null]): string {
  const [perMinute, perDay] = [limits?.perMinute, limits?.perDay].map(
    (limit) => limit?.toLocaleString('en-US') ?? 'set on the key',
  );
  return `| ${name} | ${String(perMinute)} | ${String(perDay)} |`;
}

/** The OpenAPI document of the animal store. */
export function apiDocument(app: INestApplication, environments: Environments): OpenAPIObject {
  const { docs } = new Links(environments.publicBaseUrl);
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'ask_…',
    description: 'An API key: `ask_…`.',
  } as const;
  const builder = new DocumentBuilder()
    .setTitle('Animal store')
    .setVersion('1.0.0')
    .setDescription(descriptionOf(docs))
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addBearerAuth(bearer, 'apiKey');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return buildDocument(app, builder, RESPONSE_HEADERS, environments);
}
