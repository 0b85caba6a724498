import type { Client } from 'openapi-fetch';
import type { paths } from './api-types.js';
import { Calls, headersOf, type CallOptions, type ChangeOptions, type ClientOptions } from './calls.js';
import type { PostOptions, Tagged } from './calls.js';
import { type FeedPage, Follower, type FollowOptions } from './follow.js';
import type { Limits } from './headers.js';
import type { Int64 } from './int64.js';
import { walk, type Page } from './paging.js';
import type {
  Inventory,
  IssuedKey,
  IssuedWebhook,
  Key,
  KeyEvent,
  KeyRotation,
  KeyUpdate,
  ListEventsQuery,
  ListKeyEventsQuery,
  ListKeysQuery,
  ListOrdersQuery,
  ListPetsQuery,
  ListWebhooksQuery,
  NewKey,
  NewOrder,
  NewPet,
  NewWebhook,
  Order,
  Pet,
  PetUpdate,
  RateLimit,
  StoreEvent,
  UsageDay,
  UsageQuery,
  Webhook,
  WebhookState,
  WebhookTest,
  WebhookUpdate,
} from './shapes.js';

/** The largest page, so that reading all pages takes the fewest requests. */
const WALK_LIMIT = 100;

/**
 * The animal store, with a method for every operation that is not experimental, and some that are. A method rejects with an ApiError when the service refuses, with a
 * ConnectionError when no answer comes, and with the signal's reason when the caller cancels.
 */
export class AnimalStoreClient {
  readonly #calls: Calls;

  constructor(options: ClientOptions) {
    this.#calls = new Calls(options);
  }

  /** Every operation by its method and path, with the key and retries, typed by the document: `http.GET('/pets')`. It never rejects for a refusal. */
  get http(): Client<paths> {
    return this.#calls.http;
  }

  /** The limits in the last answer that had them; undefined before the first. */
  get limits(): Limits | undefined {
    return this.#calls.limits;
  }

  /** Every animal that matches the filters, from all pages. `limit` is the size of a page. */
  pets(query: ListPetsQuery = {}, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    const list = (cursor?: string) => this.listPets({ limit: WALK_LIMIT, ...query, cursor }, options);
    return walk(list, query.cursor);
  }

  /** One page of animals, ascending by id. With exactly one id, the page's `etag` is that of the animal. */
  listPets(query: ListPetsQuery = {}, options?: CallOptions): Promise<Page<Pet>> {
    const next = (cursor: string) => this.listPets({ ...query, cursor }, options);
    return this.#calls.page(this.http.GET('/pets', { ...callOf(options), params: { query } }), next);
  }

  /** Adds an animal. */
  async createPet(pet: NewPet, options?: PostOptions): Promise<Tagged<Pet>> {
    const params = { header: headersOf(options) };
    return this.#calls.data(this.http.POST('/pets', { ...callOf(options), params, body: pet }));
  }

  /** Adds 1 to 100 animals in one request, all or none; resolves with them in the order given. */
  async createPets(pets: NewPet[], options?: PostOptions): Promise<Pet[]> {
    const params = { header: headersOf(options) };
    const body = { pets };
    return this.#calls.data(this.http.POST('/pets/batch', { ...callOf(options), params, body }));
  }

  /**
   * Fetches one animal.
   * @deprecated Removal is scheduled for 5 December 2030; it answers 410 when the operator enforces the removal. Use `listPets({ ids: [petId] })`.
   */
  getPet(petId: Int64, options?: CallOptions): Promise<Tagged<Pet>> {
    const params = { path: { petId } };
    return this.#calls.data(this.http.GET('/pets/{petId}', { ...callOf(options), params }));
  }

  /** Changes the given fields of an animal. */
  async updatePet(petId: Int64, changes: PetUpdate, options?: ChangeOptions): Promise<Tagged<Pet>> {
    const params = { path: { petId }, header: headersOf(options) };
    return this.#calls.data(this.http.PATCH('/pets/{petId}', { ...callOf(options), params, body: changes }));
  }

  /** Removes an animal. */
  async deletePet(petId: Int64, options?: ChangeOptions): Promise<void> {
    const params = { path: { petId }, header: headersOf(options) };
    await this.#calls.answer(this.http.DELETE('/pets/{petId}', { ...callOf(options), params }));
  }

  /** Every order that this key sees and that matches the filters, from all pages. `limit` is the size of a page. */
  orders(query: ListOrdersQuery = {}, options?: CallOptions): AsyncGenerator<Order, void, undefined> {
    const list = (cursor?: string) => this.listOrders({ limit: WALK_LIMIT, ...query, cursor }, options);
    return walk(list, query.cursor);
  }

  /** One page of the orders that this key sees, ascending by id. */
  listOrders(query: ListOrdersQuery = {}, options?: CallOptions): Promise<Page<Order>> {
    const next = (cursor: string) => this.listOrders({ ...query, cursor }, options);
    return this.#calls.page(this.http.GET('/store/orders', { ...callOf(options), params: { query } }), next);
  }

  /** Reserves an available animal. */
  async placeOrder(order: NewOrder, options?: PostOptions): Promise<Tagged<Order>> {
    const params = { header: headersOf(options) };
    return this.#calls.data(this.http.POST('/store/orders', { ...callOf(options), params, body: order }));
  }

  /** Fetches an order that this key sees. */
  getOrder(orderId: Int64, options?: CallOptions): Promise<Tagged<Order>> {
    const params = { path: { orderId } };
    return this.#calls.data(this.http.GET('/store/orders/{orderId}', { ...callOf(options), params }));
  }

  /** Moves an order from placed to approved. */
  async approveOrder(orderId: Int64, options?: PostOptions & ChangeOptions): Promise<Tagged<Order>> {
    return this.#calls.data(this.http.POST('/store/orders/{orderId}/approve', forOrder(orderId, options)));
  }

  /** Moves an order from approved to delivered; the animal is sold. */
  async deliverOrder(orderId: Int64, options?: PostOptions & ChangeOptions): Promise<Tagged<Order>> {
    return this.#calls.data(this.http.POST('/store/orders/{orderId}/deliver', forOrder(orderId, options)));
  }

  /** Cancels a placed or approved order; the animal is available again. */
  async cancelOrder(orderId: Int64, options?: PostOptions & ChangeOptions): Promise<Tagged<Order>> {
    return this.#calls.data(this.http.POST('/store/orders/{orderId}/cancel', forOrder(orderId, options)));
  }

  /**
   * One page of events, the oldest first. Without a cursor it begins with the oldest event that is kept; `latest` is the end of the feed.
   * `nextCursor` is always there.
   */
  listEvents(query: ListEventsQuery = {}, options?: CallOptions): Promise<FeedPage<StoreEvent>> {
    return this.#calls.feed(this.http.GET('/events', { ...callOf(options), params: { query } }));
  }

  /** Follows the feed: every event that this key sees, each once, until the signal is aborted. */
  follow(query: Pick<ListEventsQuery, 'types'> = {}, options: FollowOptions = {}): Follower<StoreEvent> {
    const list = (cursor: string | undefined) =>
      this.listEvents({ ...query, limit: WALK_LIMIT, cursor }, options);
    return new Follower(list, this.#calls.timer, options);
  }

  /** Counts the animals by status. */
  getInventory(options?: CallOptions): Promise<Inventory> {
    return this.#calls.data(this.http.GET('/store/inventory', callOf(options)));
  }

  /** Shows what is left of this key's limits, free of charge. */
  getRateLimit(options?: CallOptions): Promise<RateLimit> {
    return this.#calls.data(this.http.GET('/rate-limit', callOf(options)));
  }

  /** Shows how many requests of this key were admitted and refused on each UTC day, today last. */
  getUsage(query: UsageQuery = {}, options?: CallOptions): Promise<UsageDay[]> {
    return this.#calls.data(this.http.GET('/usage', { ...callOf(options), params: { query } }));
  }

  /** Every key that matches the filters, from all pages; oldest first. `limit` is the size of a page. */
  keys(query: ListKeysQuery = {}, options?: CallOptions): AsyncGenerator<Key, void, undefined> {
    const list = (cursor?: string) => this.listKeys({ limit: WALK_LIMIT, ...query, cursor }, options);
    return walk(list, query.cursor);
  }

  /** One page of keys, oldest first. */
  listKeys(query: ListKeysQuery = {}, options?: CallOptions): Promise<Page<Key>> {
    const next = (cursor: string) => this.listKeys({ ...query, cursor }, options);
    return this.#calls.page(this.http.GET('/keys', { ...callOf(options), params: { query } }), next);
  }

  /** Issues a key. Its secret is in `key`, this once. */
  createKey(key: NewKey, options?: CallOptions): Promise<Tagged<IssuedKey>> {
    return this.#calls.data(this.http.POST('/keys', { ...callOf(options), body: key }));
  }

  /** Fetches a key; `me` is the caller's own. */
  getKey(keyId: string, options?: CallOptions): Promise<Tagged<Key>> {
    return this.#calls.data(this.http.GET('/keys/{keyId}', forKey(keyId, options)));
  }

  /** Changes the given fields of a key. */
  async updateKey(keyId: string, changes: KeyUpdate, options?: ChangeOptions): Promise<Tagged<Key>> {
    const params = { path: { keyId }, header: headersOf(options) };
    return this.#calls.data(this.http.PATCH('/keys/{keyId}', { ...callOf(options), params, body: changes }));
  }

  /** Gives a key a new secret, in `key`, this once. */
  rotateKey(keyId: string, rotation: KeyRotation = {}, options?: CallOptions): Promise<Tagged<IssuedKey>> {
    const call = { ...forKey(keyId, options), body: rotation };
    return this.#calls.data(this.http.POST('/keys/{keyId}/rotate', call));
  }

  /** Ends a key for good. */
  async revokeKey(keyId: string, options?: CallOptions): Promise<void> {
    await this.#calls.answer(this.http.DELETE('/keys/{keyId}', forKey(keyId, options)));
  }

  /** Every webhook, from all pages. `limit` is the size of a page. */
  webhooks(query: ListWebhooksQuery = {}, options?: CallOptions): AsyncGenerator<Webhook, void, undefined> {
    const list = (cursor?: string) => this.listWebhooks({ limit: WALK_LIMIT, ...query, cursor }, options);
    return walk(list, query.cursor);
  }

  /** One page of webhooks, oldest first. */
  listWebhooks(query: ListWebhooksQuery = {}, options?: CallOptions): Promise<Page<Webhook>> {
    const next = (cursor: string) => this.listWebhooks({ ...query, cursor }, options);
    return this.#calls.page(this.http.GET('/webhooks', { ...callOf(options), params: { query } }), next);
  }

  /** Lets events be sent to an address. The secret that signs them is in `secret`, this once. */
  createWebhook(webhook: NewWebhook, options?: CallOptions): Promise<Tagged<IssuedWebhook>> {
    return this.#calls.data(this.http.POST('/webhooks', { ...callOf(options), body: webhook }));
  }

  /** Fetches a webhook with what waits for it. */
  getWebhook(webhookId: string, options?: CallOptions): Promise<Tagged<WebhookState>> {
    return this.#calls.data(this.http.GET('/webhooks/{webhookId}', forWebhook(webhookId, options)));
  }

  /** Changes the given fields of a webhook: `cursor` sends events again or skips some. */
  async updateWebhook(
    webhookId: string,
    changes: WebhookUpdate,
    options?: ChangeOptions,
  ): Promise<Tagged<Webhook>> {
    const params = { path: { webhookId }, header: headersOf(options) };
    const call = { ...callOf(options), params, body: changes };
    return this.#calls.data(this.http.PATCH('/webhooks/{webhookId}', call));
  }

  async deleteWebhook(webhookId: string, options?: CallOptions): Promise<void> {
    await this.#calls.answer(this.http.DELETE('/webhooks/{webhookId}', forWebhook(webhookId, options)));
  }

  /** Gives a webhook a new secret, in `secret`, this once. The one before signs beside it for 24 hours. */
  rotateWebhookSecret(webhookId: string, options?: CallOptions): Promise<Tagged<IssuedWebhook>> {
    const call = forWebhook(webhookId, options);
    return this.#calls.data(this.http.POST('/webhooks/{webhookId}/rotate-secret', call));
  }

  /** Sends a test event, and resolves with what came back. */
  testWebhook(webhookId: string, options?: CallOptions): Promise<Tagged<WebhookTest>> {
    return this.#calls.data(this.http.POST('/webhooks/{webhookId}/test', forWebhook(webhookId, options)));
  }

  /** Ends the ban of a key. */
  async unbanKey(keyId: string, options?: PostOptions & ChangeOptions): Promise<Tagged<Key>> {
    const params = { path: { keyId }, header: headersOf(options) };
    return this.#calls.data(this.http.POST('/keys/{keyId}/unban', { ...callOf(options), params }));
  }

  /** One page of what was done to a key, oldest first. */
  listKeyEvents(
    keyId: string,
    query: ListKeyEventsQuery = {},
    options?: CallOptions,
  ): Promise<Page<KeyEvent>> {
    const next = (cursor: string) => this.listKeyEvents(keyId, { ...query, cursor }, options);
    const params = { path: { keyId }, query };
    return this.#calls.page(this.http.GET('/keys/{keyId}/events', { ...callOf(options), params }), next);
  }

  /** Shows how many requests of a key were admitted and refused on each UTC day, today last. */
  getKeyUsage(keyId: string, query: UsageQuery = {}, options?: CallOptions): Promise<UsageDay[]> {
    const params = { path: { keyId }, query };
    return this.#calls.data(this.http.GET('/keys/{keyId}/usage', { ...callOf(options), params }));
  }

  /** Shows what is left of the limits of a key, which it charges nothing. For administrators. */
  getKeyLimits(keyId: string, options?: CallOptions): Promise<RateLimit> {
    const params = { path: { keyId } };
    return this.#calls.data(this.http.GET('/keys/{keyId}/rate-limit', { ...callOf(options), params }));
  }
}

/** What openapi-fetch takes of the options. */
const callOf = ({ signal }: CallOptions = {}) => (signal === undefined ? {} : { signal });

const forKey = (keyId: string, options?: CallOptions) => ({
  ...callOf(options),
  params: { path: { keyId } },
});

const forWebhook = (webhookId: string, options?: CallOptions) => ({
  ...callOf(options),
  params: { path: { webhookId } },
});

const forOrder = (orderId: Int64, options?: PostOptions & ChangeOptions) => ({
  ...callOf(options),
  params: { path: { orderId }, header: headersOf(options) },
});
