import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from './api-types.js';
import { errorOf, UnexpectedAnswerError } from './errors.js';
import type { Int64 } from './int64.js';
import { stringifyJson } from './json.js';
import { limitsOf, type Limits } from './headers.js';
import { nextCursorOf, pageOf, walk, type Page } from './paging.js';
import { retryingFetch } from './retrying-fetch.js';
import type {
  Inventory,
  ListOrdersQuery,
  ListPetsQuery,
  NewOrder,
  NewPet,
  Order,
  Pet,
  PetUpdate,
  RateLimit,
  UsageDay,
  UsageQuery,
} from './shapes.js';
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

/** What a call of openapi-fetch resolves with. */
interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** The largest page, so that reading all pages takes the fewest requests. */
const WALK_LIMIT = 100;

/** Runs once for each call, so that all attempts of the call carry the same key. */
const idempotencyKeys: Middleware = {
  onRequest({ request }) {
    if (request.method === 'POST' && !request.headers.has(IDEMPOTENCY_KEY)) {
      request.headers.set(IDEMPOTENCY_KEY, randomKey());
    }
  },
};

/** 128 random bits as a UUID. Browsers have `crypto.randomUUID` for pages of secure contexts only. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The animal store, with a method for every operation. A method rejects with an ApiError when the service refuses, with a
 * ConnectionError when no answer comes, and with the signal's reason when the caller cancels.
 */
export class AnimalStoreClient {
  readonly #http: Client<paths>;
  readonly #timer: Timer;
  #limits: Limits | undefined;

  constructor(options: ClientOptions) {
    this.#timer = options.timer ?? systemTimer;
    this.#http = createClient<paths>({
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
        timer: this.#timer,
        onAnswer: (response) => (this.#limits = limitsOf(response) ?? this.#limits),
      }),
    });
    this.#http.use(idempotencyKeys);
  }

  /** The limits in the last answer that had them; undefined before the first. */
  get limits(): Limits | undefined {
    return this.#limits;
  }

  /** Every animal that matches the filters, from all pages. `limit` is the size of a page. */
  pets(query: ListPetsQuery = {}, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    const list = (cursor?: string) => this.listPets({ limit: WALK_LIMIT, ...query, cursor }, options);
    return walk(list, query.cursor);
  }

  /** One page of animals, ascending by id. */
  listPets(query: ListPetsQuery = {}, options?: CallOptions): Promise<Page<Pet>> {
    const next = (cursor: string) => this.listPets({ ...query, cursor }, options);
    return this.#page(this.#http.GET('/pets', { ...options, params: { query } }), next);
  }

  /** Adds an animal. */
  createPet(pet: NewPet, options?: PostOptions): Promise<Pet> {
    return this.#data(this.#http.POST('/pets', { ...forPost(options), body: pet }));
  }

  /**
   * Fetches one animal.
   * @deprecated Removal is scheduled for 5 December 2030; it answers 410 when the operator enforces the removal. Use `listPets({ ids: [petId] })`.
   */
  getPet(petId: Int64, options?: CallOptions): Promise<Pet> {
    return this.#data(this.#http.GET('/pets/{petId}', { ...options, params: { path: { petId } } }));
  }

  /** Changes the given fields of an animal. */
  updatePet(petId: Int64, changes: PetUpdate, options?: CallOptions): Promise<Pet> {
    const params = { path: { petId } };
    return this.#data(this.#http.PATCH('/pets/{petId}', { ...options, params, body: changes }));
  }

  /** Removes an animal. */
  async deletePet(petId: Int64, options?: CallOptions): Promise<void> {
    await this.#answer(this.#http.DELETE('/pets/{petId}', { ...options, params: { path: { petId } } }));
  }

  /** Every order of this key that matches the filters, from all pages. `limit` is the size of a page. */
  orders(query: ListOrdersQuery = {}, options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    const list = (cursor?: string) => this.listOrders({ limit: WALK_LIMIT, ...query, cursor }, options);
    return walk(list, query.cursor);
  }

  /** One page of this key's orders, ascending by id. */
  listOrders(query: ListOrdersQuery = {}, options?: CallOptions): Promise<Page<Order>> {
    const next = (cursor: string) => this.listOrders({ ...query, cursor }, options);
    return this.#page(this.#http.GET('/store/orders', { ...options, params: { query } }), next);
  }

  /** Reserves an available animal. */
  placeOrder(order: NewOrder, options?: PostOptions): Promise<Order> {
    return this.#data(this.#http.POST('/store/orders', { ...forPost(options), body: order }));
  }

  /** Fetches one of this key's orders. */
  getOrder(orderId: Int64, options?: CallOptions): Promise<Order> {
    const params = { path: { orderId } };
    return this.#data(this.#http.GET('/store/orders/{orderId}', { ...options, params }));
  }

  /** Moves an order from placed to approved. */
  approveOrder(orderId: Int64, options?: PostOptions): Promise<Order> {
    return this.#data(this.#http.POST('/store/orders/{orderId}/approve', forOrder(orderId, options)));
  }

  /** Moves an order from approved to delivered; the animal is sold. */
  deliverOrder(orderId: Int64, options?: PostOptions): Promise<Order> {
    return this.#data(this.#http.POST('/store/orders/{orderId}/deliver', forOrder(orderId, options)));
  }

  /** Cancels a placed or approved order; the animal is available again. */
  cancelOrder(orderId: Int64, options?: PostOptions): Promise<Order> {
    return this.#data(this.#http.POST('/store/orders/{orderId}/cancel', forOrder(orderId, options)));
  }

  /** Counts the animals by status. */
  getInventory(options?: CallOptions): Promise<Inventory> {
    return this.#data(this.#http.GET('/store/inventory', { ...options }));
  }

  /** Shows what is left of this key's limits, free of charge. */
  getRateLimit(options?: CallOptions): Promise<RateLimit> {
    return this.#data(this.#http.GET('/rate-limit', { ...options }));
  }

  /** Shows how many requests of this key were admitted and refused on each UTC day, today last. */
  getUsage(query: UsageQuery = {}, options?: CallOptions): Promise<UsageDay[]> {
    return this.#data(this.#http.GET('/usage', { ...options, params: { query } }));
  }

  async #page<Item>(
    pending: Promise<Answer<Item[]>>,
    next: (cursor: string) => Promise<Page<Item>>,
  ): Promise<Page<Item>> {
    const { data, response } = await this.#answer(pending);
    return pageOf(bodyOf(data, response), nextCursorOf(response), next);
  }

  async #data<Data>(pending: Promise<Answer<Data>>): Promise<Data> {
    const { data, response } = await this.#answer(pending);
    return bodyOf(data, response);
  }

  async #answer<Data>(pending: Promise<Answer<Data>>): Promise<Answer<Data>> {
    const answer = await pending;
    if (!answer.response.ok) throw errorOf(answer.response, answer.error, this.#timer.nowMs());
    return answer;
  }
}

function bodyOf<Data>(data: Data | undefined, response: Response): Data {
  if (data === undefined) throw new UnexpectedAnswerError(response, '');
  return data;
}

function forPost({ idempotencyKey, ...options }: PostOptions = {}) {
  return {
    ...options,
    params: { header: idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey } },
  };
}

function forOrder(orderId: Int64, options?: PostOptions) {
  const post = forPost(options);
  return { ...post, params: { ...post.params, path: { orderId } } };
}
