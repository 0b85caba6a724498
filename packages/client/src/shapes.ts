import type { components, operations } from './api-types.js';

type Schemas = components['schemas'];
type QueryOf<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

export type Pet = Schemas['Pet'];
export type NewPet = Schemas['NewPet'];
export type PetUpdate = Schemas['PetUpdate'];
export type PetStatus = Schemas['PetStatus'];
export type Order = Schemas['Order'];
export type NewOrder = Schemas['NewOrder'];
export type OrderStatus = Schemas['OrderStatus'];
/** What happened; `type` tells what `data` is. */
export type StoreEvent = Schemas['Events'][number];
/** What a webhook gets: an event of the feed, or a test. */
export type SentEvent = StoreEvent | Schemas['TestEvent'];
export type Webhook = Schemas['Webhook'];
/** A webhook and what waits for it. */
export type WebhookState = Schemas['WebhookState'];
/** A webhook with its secret, which is shown once. */
export type IssuedWebhook = Schemas['IssuedWebhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookUpdate = Schemas['WebhookUpdate'];
export type WebhookTest = Schemas['WebhookTest'];
export type Inventory = Schemas['Inventory'];
export type RateLimit = Schemas['RateLimit'];
export type RateLimitWindow = Schemas['RateLimitWindow'];
export type Key = Schemas['Key'];
/** A key with its secret, which is shown once. */
export type IssuedKey = Schemas['IssuedKey'];
export type NewKey = Schemas['NewKey'];
export type KeyUpdate = Schemas['KeyUpdate'];
export type KeyRotation = Schemas['KeyRotation'];
export type KeyEvent = Schemas['KeyEvent'];
export type UsageDay = Schemas['UsageDay'];

export type ListPetsQuery = QueryOf<'listPets'>;
export type ListEventsQuery = QueryOf<'listEvents'>;
export type ListWebhooksQuery = QueryOf<'listWebhooks'>;
export type ListOrdersQuery = QueryOf<'listOrders'>;
export type ListKeysQuery = QueryOf<'listKeys'>;
export type ListKeyEventsQuery = QueryOf<'listKeyEvents'>;
export type UsageQuery = QueryOf<'getUsage'>;
