import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from './api-types.js';
import { errorOf, UnexpectedAnswerError } from './errors.js';
import { etagOf, limitsOf, type Limits } from './headers.js';
import { stringifyJson } from './json.js';
import type { FeedPage } from './follow.js';
import { hasNextPage, nextCursorOf, pageOf, type Page } from './paging.js';
import { retryingFetch } from './retrying-fetch.js';
import { systemTimer, type Timer } from './timer.js';
import { serializePath, serializeQuery } from './url.js';

export interface ClientOptions {
  /** The address of version 1, such as `https://animals.example.com/v1`. */
  baseUrl: string;
  apiKey: string;
  /** The most repeats of a request. Default: 4. */
  maxRetries?: number;
  /** A refusal that asks for a longer wait is an error at once. Default: a minute, the shorter window. */
  maxRetryAfterMs?: number;
  /** How long one attempt may take. Default: 30 s, the service's own deadline. */
  timeoutMs?: number;
  /** Default: the platform's. */
  fetch?: typeof globalThis.fetch;
  /** The sources of time and random numbers, for tests. Default: the platform's. */
  timer?: Timer;
}

export interface CallOptions {
  /** Cancels the request, and the wait before a retry. */
  signal?: AbortSignal;
}

export interface PostOptions extends CallOptions {
  /** Needed to repeat a request that another process may have made. Default: a fresh key for every call. */
  idempotencyKey?: string;
}

export interface ChangeOptions extends CallOptions {
  /** The `etag` of the state that the change is meant for: with another state it fails with `precondition_failed`. */
  ifMatch?: string;
}

/**
 * A result with its entity tag, for `ifMatch`; undefined when a proxy or a browser hides the header. It is not a field: `JSON.stringify`
 * and a copy with `...` leave it out.
 */
export type Tagged<Data> = Data & { readonly etag: string | undefined };

/** What a call of openapi-fetch resolves with. */
interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The paths whose POST takes no Idempotency-Key, by the document. */
type PathWithoutKey = {
  [Path in keyof paths]: paths[Path] extends { post: { parameters: { header?: infer Header } } }
    ? [NonNullable<Header>] extends [never]
      ? Path
      : typeof IDEMPOTENCY_KEY extends keyof NonNullable<Header>
        ? never
        : Path
    : never;
}[keyof paths];

/** A POST there is not repeated after a lost answer: it would issue a second secret, or send a second test event. */
const PATHS_WITHOUT_KEY: Record<PathWithoutKey, true> = {
  '/keys': true,
  '/keys/{keyId}/rotate': true,
  '/webhooks': true,
  '/webhooks/{webhookId}/rotate-secret': true,
  '/webhooks/{webhookId}/test': true,
};

/** Runs once for each call, so that all attempts of the call carry the same key. */
const idempotencyKeys: Middleware = {
  onRequest({ request, schemaPath }) {
    const takesKey = request.method === 'POST' && !Object.hasOwn(PATHS_WITHOUT_KEY, schemaPath);
    if (takesKey && !request.headers.has(IDEMPOTENCY_KEY)) request.headers.set(IDEMPOTENCY_KEY, randomKey());
  },
};

/** 128 random bits as a UUID. Browsers have `crypto.randomUUID` for pages of secure contexts only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Sends requests with the key, repeats them, and turns answers into results and errors. */
export class Calls {
  readonly http: Client<paths>;
  readonly timer: Timer;
  /** The limits in the last answer that had them. */
  limits: Limits | undefined;

  constructor(options: ClientOptions) {
    this.timer = options.timer ?? systemTimer;
    this.http = createClient<paths>({
      baseUrl: options.baseUrl,
      headers: { Authorization: `Bearer ${options.apiKey}` },
      querySerializer: serializeQuery,
      pathSerializer: serializePath,
      bodySerializer: stringifyJson,
      fetch: retryingFetch({
        fetch: options.fetch ?? ((...input) => globalThis.fetch(...input)),
        maxRetries: options.maxRetries ?? 4,
        maxRetryAfterMs: options.maxRetryAfterMs ?? 60_000,
        timeoutMs: options.timeoutMs ?? 30_000,
        timer: this.timer,
        onAnswer: (response) => (this.limits = limitsOf(response) ?? this.limits),
      }),
    });
    this.http.use(idempotencyKeys);
  }

  async page<Item>(
    pending: Promise<Answer<Item[]>>,
    next: (cursor: string) => Promise<Page<Item>>,
  ): Promise<Page<Item>> {
    const { data, response } = await this.answer(pending);
    const found = { nextCursor: nextCursorOf(response), etag: etagOf(response) };
    return pageOf(bodyOf(data, response), found, next);
  }

  async feed<Event>(pending: Promise<Answer<Event[]>>): Promise<FeedPage<Event>> {
    const { data, response } = await this.answer(pending);
    const nextCursor = nextCursorOf(response);
    // A browser shows it where the service allows the page's origin.
    if (nextCursor === undefined) throw new UnexpectedAnswerError(response, data);
    return { items: bodyOf(data, response), nextCursor, hasMore: hasNextPage(response) };
  }

  async data<Data extends object>(pending: Promise<Answer<Data>>): Promise<Tagged<Data>> {
    const { data, response } = await this.answer(pending);
    return Object.defineProperty(bodyOf(data, response), 'etag', { value: etagOf(response) }) as Tagged<Data>;
  }

  async answer<Data>(pending: Promise<Answer<Data>>): Promise<Answer<Data>> {
    const answer = await pending;
    if (!answer.response.ok) throw errorOf(answer.response, answer.error, this.timer.nowMs());
    return answer;
  }
}

function bodyOf<Data>(data: Data | undefined, response: Response): Data {
  if (data === undefined) throw new UnexpectedAnswerError(response, '');
  return data;
}

/** The headers of a write. @throws TypeError for an `ifMatch` that is undefined, because the change would then be unconditional */
export function headersOf(options: PostOptions & ChangeOptions = {}) {
  const { idempotencyKey, ifMatch } = options;
  if ('ifMatch' in options && ifMatch === undefined)
    throw new TypeError('ifMatch: expected an ETag, got undefined: the answer that it is from had none');
  return {
    ...(idempotencyKey !== undefined && { [IDEMPOTENCY_KEY]: idempotencyKey }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  };
}
