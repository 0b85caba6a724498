// Made from openapi.json by `npm run generate`; not to be changed by hand.
import type { Int64 } from './int64.js';

export interface paths {
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what happens.
         * @description What happened, oldest first: `GET /events?types=order.placed`. `X-Next-Cursor` is always there, also after an empty page: it is where to go on. Without a cursor the list begins with the oldest event that is kept; `cursor=latest` begins now. Events are kept for 30 days, unless the operator chose otherwise. Whoever follows gets each event exactly once. An empty page counts as a request too: a key of 1,000 a day can ask every 90 seconds; a webhook tells at once. Everybody sees `pet.*`; a key sees its own `order.*`, `key.*` and `webhook.*`; `manage` sees all orders, `admin` all keys and webhooks.
         *
         *     Takes `read` access.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks.
         * @description Oldest first, or newest first with `order=desc`, in pages as those of listPets. With `admin` access: those of all keys; otherwise the own ones.
         *
         *     Takes `order` access.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Let events be sent to you.
         * @description Sends the events that the key sees in listEvents, from now on, to this address: in order, one at a time, each until a 2xx (docs: webhooks). A key has at most 1 (free), 5 (pro), 20 (business), 20 (enterprise) webhooks, by its plan. The answer has the secret that signs deliveries: it is shown this once, so the operation takes no `Idempotency-Key`.
         *
         *     Takes `order` access.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a webhook.
         * @description Its state, the last attempt, and how many events wait. Without `admin` access, a webhook of another key is not found.
         *
         *     Takes `order` access.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Remove a webhook.
         * @description Nothing is sent any more, and its place is forgotten. An attempt that is under way ends by itself.
         *
         *     Takes `order` access.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook.
         * @description Changes any of address, types, status and place. `{"status": "active"}` goes on at its place and tries again at once. A `cursor` of listEvents that lies back sends events again, and one ahead skips some.
         *
         *     Takes `order` access.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{webhookId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret.
         * @description The answer has the new secret: it is shown this once, so the operation takes no `Idempotency-Key`. For 24 hours the new secret and the newest one so far both sign. The body is absent or an empty object.
         *
         *     Takes `order` access.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event.
         * @description Sends one event `webhook.test` at once, also to a disabled webhook, and answers with what came back, at most 5 s later. One test of a webhook runs at a time. The body is absent or an empty object.
         *
         *     Takes `order` access.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys.
         * @description Oldest first, or newest first with `order=desc`, revoked and expired ones included, in pages as those of listPets.
         *
         *     Takes `admin` access.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Issue a key.
         * @description The answer has the secret in `key`: it is shown this once and stored nowhere, so the operation takes no `Idempotency-Key`. Keys with `admin` access are issued by the command line only.
         *
         *     Takes `admin` access.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch one key.
         * @description Everything about a key but its secret.
         *
         *     Takes `admin` access. With `me` every key calls it for itself.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /**
         * Revoke a key.
         * @description Ends a key for good: all replicas refuse it within a second. Its open orders stay with the store. A key that is revoked already stays so.
         *
         *     Takes `admin` access.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /**
         * Change a key.
         * @description Changes any of name, reference, access, expiry and plan: `{"expiresAt": null}`. An expired key comes back with a later expiry, a revoked one never. Running windows continue with new limits. All replicas apply a change within a second.
         *
         *     Takes `admin` access.
         */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a key a new secret.
         * @description The answer has the new secret in `key`: it is shown this once and stored nowhere, so the operation takes no `Idempotency-Key`. The newest secret so far works until the overlap ends, each older one until its own end, so a rotation that is repeated after a lost answer stops nothing before. `"overlapSeconds": 0` ends every older one. At most five work at a time: the oldest ends. A key rotates itself with its newest secret only. Id, limits, counters and orders stay.
         *
         *     Takes `admin` access. With `me` every key calls it for itself.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}/unban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the ban of a key.
         * @description Ends a ban and forgets the refusals that led to it: the next ban is the shortest again.
         *
         *     Takes `admin` access.
         */
        post: operations["unbanKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The history of a key.
         * @description What was done to the key, when, by whom (`actorName`: the name of that key now) and what changed; oldest first, or newest first with `order=desc`, in pages as those of listPets.
         *
         *     Takes `admin` access. With `me` every key calls it for itself.
         */
        get: operations["listKeyEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals.
         * @description Ascending by id, or descending with `order=desc`, a page at a time: `GET /pets?status=available&limit=20`. While more follow, `X-Next-Cursor` and `Link` name the next page; the last page carries neither. A walk over the pages shows every animal that existed throughout exactly once, whatever is added or removed meanwhile.
         *
         *     Takes `read` access.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal.
         * @description Adds an animal to the catalogue and returns it with its new id, which is also in `Location`. A status may be given; without one the animal is available.
         *
         *     Takes `manage` access.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add animals together.
         * @description Adds 1 to 100 animals in one request, all or none: `{"pets": [{"name": "Rex", "categoryId": 7}]}`. The answer has them in the order sent. It counts as one request. Errors name the index and the field: `pets[3].name: expected …`.
         *
         *     Takes `manage` access.
         */
        post: operations["createPets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch one animal (deprecated).
         * @deprecated
         * @description Deprecated: removal is scheduled for 5 December 2030. Use `GET /pets` with a status filter, or `GET /pets?ids=42` for animals whose ids are known.
         *
         *     Takes `read` access.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        /**
         * Remove an animal.
         * @description Removes an animal for good: its id is never used again. An animal with an open order stays (409); cancel the order first.
         *
         *     Takes `manage` access.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change an animal.
         * @description Changes any of name, category and status: `{"status": "sold"}`. A status goes from available to pending or sold, from pending to available or sold; sold is final. While an open order reserves the animal, only the order changes its status.
         *
         *     Takes `manage` access.
         */
        patch: operations["updatePet"];
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List orders.
         * @description Ascending by id, or descending with `order=desc`, in pages as those of listPets. With `order` access: the orders of this key. With `manage` access: those of all keys, revoked and expired ones included.
         *
         *     Takes `order` access.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal.
         * @description Reserves an available animal: it is pending until the order ends. An order that is not approved by `expiresAt` expires. Of many simultaneous orders for one animal exactly one wins; the others get 409. With `order` access a key has at most 10 (free), 100 (pro), 1,000 (business), 10,000 (enterprise) open orders (placed or approved), by its plan. Send an `Idempotency-Key`, so that a retry places no second order.
         *
         *     Takes `order` access.
         */
        post: operations["placeOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an order.
         * @description Shows an order and its state. With `order` access, an order of another key is not found.
         *
         *     Takes `order` access.
         */
        get: operations["getOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve an order.
         * @description Accepts the order: from placed to approved. The animal stays reserved. The body is absent or an empty object.
         *
         *     Takes `manage` access.
         */
        post: operations["approveOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}/deliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver an order.
         * @description Hands the animal over: from approved to delivered. The animal is sold. The body is absent or an empty object.
         *
         *     Takes `manage` access.
         */
        post: operations["deliverOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders/{orderId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an order.
         * @description Gives the animal back: from placed or approved to cancelled. The animal is available again. The body is absent or an empty object.
         *
         *     Takes `order` access.
         */
        post: operations["cancelOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/inventory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the animals by status.
         * @description How many animals are available, pending and sold: exact, and as fast with ten million animals as with ten.
         *
         *     Takes `read` access.
         */
        get: operations["getInventory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rate-limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is left of the limits.
         * @description The key and its plan, what each window has left, and the end of a ban. Free of charge; it also answers while the windows are exhausted and during a ban.
         *
         *     Takes `read` access.
         */
        get: operations["getRateLimit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}/rate-limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is left of the limits of one key.
         * @description As getRateLimit, of that key, also while it is banned, revoked or expired. It charges that key nothing, and counts as a request of the caller.
         *
         *     Takes `admin` access.
         */
        get: operations["getKeyLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The usage of the key, day by day.
         * @description One entry for each UTC day, oldest first, including days without requests. Today is last and at most 10 s behind. The call itself counts as a request; requests that are free of charge are not counted.
         *
         *     Takes `read` access.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{keyId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The usage of one key, day by day.
         * @description As getUsage, of that key, also when it is revoked or has expired.
         *
         *     Takes `admin` access. With `me` every key calls it for itself.
         */
        get: operations["getKeyUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "pet.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event pet.created.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_pet_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "pet.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event pet.updated.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_pet_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "pet.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event pet.deleted.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_pet_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.placed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event order.placed.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_order_placed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.approved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event order.approved.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_order_approved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event order.delivered.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_order_delivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event order.cancelled.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_order_cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event order.expired.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_order_expired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.quota_reached": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event key.quota_reached.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_key_quota_reached"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.banned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event key.banned.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_key_banned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event webhook.disabled.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_webhook_disabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The event webhook.test.
         * @description Sent to the address of a webhook until it answers 2xx.
         */
        post: operations["on_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description Whether an animal is available.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description An animal of the catalogue. */
        Pet: {
            /**
             * Format: int64
             * @description Unique identifier assigned by the service at creation; never used again.
             * @example 42
             */
            id: Int64;
            /**
             * @description The animal's name.
             * @example Rex
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category the animal belongs to: any int64, not checked for existence.
             * @example 7
             */
            categoryId: Int64;
            /** @description Whether the animal is available. */
            status: components["schemas"]["PetStatus"];
        };
        /** @description An animal was added, changed or removed. */
        PetEvent: {
            /**
             * @description Identifier of the event: `evt_` and a UUIDv7.
             * @example evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34
             */
            id: string;
            /**
             * Format: date-time
             * @description When the change was made (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Who made the change: the id of a key, `command` or `service`. Only keys with `manage` access see it.
             * @example command
             */
            actor?: string;
            /**
             * @description What happened.
             * @example pet.created
             * @enum {string}
             */
            type: "pet.created" | "pet.updated" | "pet.deleted";
            /** @description The animal after the change; before its removal. */
            data: components["schemas"]["Pet"];
        };
        /**
         * @description The state of an order.
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered" | "cancelled" | "expired";
        /** @description The reservation of one animal by one API key. */
        Order: {
            /**
             * Format: int64
             * @description Identifier of the order.
             * @example 7
             */
            id: Int64;
            /**
             * Format: int64
             * @description The ordered animal.
             * @example 42
             */
            petId: Int64;
            /**
             * Format: uuid
             * @description The id of the key that placed the order.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * @description The partner's own number of the order, of 1 to 255 characters; null: none.
             * @example PO-7
             */
            reference: string | null;
            /** @description placed, then approved, then delivered; cancelled from either of the first two; expired when it was not approved in time. */
            status: components["schemas"]["OrderStatus"];
            /**
             * Format: date-time
             * @description When the order expires if nobody approves it (RFC 3339, UTC). Null: it never expires, or its status is no longer `placed`.
             * @example 2026-11-21T12:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When the order was placed (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the status last changed (RFC 3339, UTC).
             * @example 2026-11-20T12:05:00.000Z
             */
            updatedAt: string;
        };
        /** @description An order was placed or changed its status. */
        OrderEvent: {
            /**
             * @description Identifier of the event: `evt_` and a UUIDv7.
             * @example evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34
             */
            id: string;
            /**
             * Format: date-time
             * @description When the change was made (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Who made the change: the id of a key, `command` or `service`. Only keys with `manage` access see it.
             * @example command
             */
            actor?: string;
            /**
             * @description What happened.
             * @example order.placed
             * @enum {string}
             */
            type: "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired";
            /** @description The order after the change. */
            data: components["schemas"]["Order"];
        };
        /** @description How much of a day a key has used. */
        QuotaReached: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: date
             * @description The UTC day.
             * @example 2026-11-20
             */
            date: string;
            /**
             * Format: int32
             * @description How much of the limit is used, in percent.
             * @example 80
             * @enum {integer}
             */
            percent: 80 | 100;
            /**
             * Format: int64
             * @description Requests a day.
             * @example 1000
             */
            limit: Int64;
            /**
             * Format: int64
             * @description Requests that were admitted.
             * @example 800
             */
            used: Int64;
        };
        /** @description A key has used 80 or 100 % of its requests of the UTC day. */
        QuotaEvent: {
            /**
             * @description Identifier of the event: `evt_` and a UUIDv7.
             * @example evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34
             */
            id: string;
            /**
             * Format: date-time
             * @description When the change was made (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Who made the change: the id of a key, `command` or `service`. Only keys with `manage` access see it.
             * @example command
             */
            actor?: string;
            /**
             * @description What happened.
             * @example key.quota_reached
             * @enum {string}
             */
            type: "key.quota_reached";
            /** @description How much is used. */
            data: components["schemas"]["QuotaReached"];
        };
        /** @description The ban of a key. */
        KeyBan: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: date-time
             * @description When the ban ends (RFC 3339, UTC).
             * @example 2026-11-20T12:10:00.000Z
             */
            until: string;
        };
        /** @description A key was banned for calling on after many refusals. */
        BanEvent: {
            /**
             * @description Identifier of the event: `evt_` and a UUIDv7.
             * @example evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34
             */
            id: string;
            /**
             * Format: date-time
             * @description When the change was made (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Who made the change: the id of a key, `command` or `service`. Only keys with `manage` access see it.
             * @example command
             */
            actor?: string;
            /**
             * @description What happened.
             * @example key.banned
             * @enum {string}
             */
            type: "key.banned";
            /** @description The ban. */
            data: components["schemas"]["KeyBan"];
        };
        /** @description A webhook that gets no more events. */
        DisabledWebhook: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: uuid
             * @description Identifier of the webhook.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            webhookId: string;
            /**
             * @description Why: its endpoint answered 410, it failed for five days, its key lost the right to it, or a caller has disabled it.
             * @example failing
             * @enum {string}
             */
            reason: "gone" | "failing" | "key" | "caller";
        };
        /** @description A webhook was disabled. */
        WebhookEvent: {
            /**
             * @description Identifier of the event: `evt_` and a UUIDv7.
             * @example evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34
             */
            id: string;
            /**
             * Format: date-time
             * @description When the change was made (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Who made the change: the id of a key, `command` or `service`. Only keys with `manage` access see it.
             * @example command
             */
            actor?: string;
            /**
             * @description What happened.
             * @example webhook.disabled
             * @enum {string}
             */
            type: "webhook.disabled";
            /** @description The webhook. */
            data: components["schemas"]["DisabledWebhook"];
        };
        /**
         * @description Whether events are sent.
         * @enum {string}
         */
        WebhookStatus: "active" | "disabled";
        /** @description A place in the feed of events and an address. */
        Webhook: {
            /**
             * Format: uuid
             * @description Identifier of the webhook.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            id: string;
            /**
             * Format: uuid
             * @description The key whose webhook it is.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: uri
             * @description Where events are sent: `https`, at a public address, without user, password and fragment. A sandbox takes `http` too.
             * @example https://partner.example/hooks/animals
             */
            url: string;
            /**
             * @description Only events of these types are sent; null: all that the key sees.
             * @example [
             *       "order.approved",
             *       "order.expired"
             *     ]
             */
            types: ("pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired" | "key.quota_reached" | "key.banned" | "webhook.disabled")[] | null;
            /** @description Whether events are sent. None is lost while it is disabled, as long as events are kept. */
            status: components["schemas"]["WebhookStatus"];
            /**
             * @description Why it is disabled: its endpoint answered 410 (`gone`), it failed for five days (`failing`), its key is revoked, has expired or lost its access (`key`, which ends with that), or a caller has done it (`caller`).
             * @example null
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | "key" | "caller" | null;
            /**
             * @description Its place: a cursor of listEvents after the last event that was delivered or did not match.
             * @example AQAAAAAAAAAqR3xJPaXzcT8
             */
            cursor: string;
            /**
             * @description Whether events were removed from the feed before this webhook got them.
             * @example false
             */
            missed: boolean;
            /**
             * Format: date-time
             * @description When the last attempt was made; null: none was.
             * @example null
             */
            lastAttemptAt: string | null;
            /**
             * Format: int32
             * @description The HTTP status of the answer to the last attempt; null: no answer came.
             * @example 204
             */
            lastStatus: number | null;
            /**
             * @description Why no answer came to the last attempt, or null.
             * @example null
             * @enum {string|null}
             */
            lastError: "timeout" | "dns" | "blocked_address" | "connect" | "tls" | "bad_response" | null;
            /**
             * Format: date-time
             * @description The first failure since the last success, or null.
             * @example null
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When a failed event is sent again; null: nothing waits for a moment.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @description The order of a list.
         * @enum {string}
         */
        SortOrder: "asc" | "desc";
        /** @description A webhook to create. */
        NewWebhook: {
            /**
             * Format: uri
             * @description Where events are sent: `https`, at a public address, without user, password and fragment. A sandbox takes `http` too.
             * @example https://partner.example/hooks/animals
             */
            url: string;
            /**
             * @description Only events of these types are sent; null: all that the key sees.
             * @example [
             *       "order.approved",
             *       "order.expired"
             *     ]
             */
            types?: ("pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired" | "key.quota_reached" | "key.banned" | "webhook.disabled")[] | null;
        };
        /** @description A webhook with its secret, which is shown this once. */
        IssuedWebhook: {
            /**
             * Format: uuid
             * @description Identifier of the webhook.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            id: string;
            /**
             * Format: uuid
             * @description The key whose webhook it is.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: uri
             * @description Where events are sent: `https`, at a public address, without user, password and fragment. A sandbox takes `http` too.
             * @example https://partner.example/hooks/animals
             */
            url: string;
            /**
             * @description Only events of these types are sent; null: all that the key sees.
             * @example [
             *       "order.approved",
             *       "order.expired"
             *     ]
             */
            types: ("pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired" | "key.quota_reached" | "key.banned" | "webhook.disabled")[] | null;
            /** @description Whether events are sent. None is lost while it is disabled, as long as events are kept. */
            status: components["schemas"]["WebhookStatus"];
            /**
             * @description Why it is disabled: its endpoint answered 410 (`gone`), it failed for five days (`failing`), its key is revoked, has expired or lost its access (`key`, which ends with that), or a caller has done it (`caller`).
             * @example null
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | "key" | "caller" | null;
            /**
             * @description Its place: a cursor of listEvents after the last event that was delivered or did not match.
             * @example AQAAAAAAAAAqR3xJPaXzcT8
             */
            cursor: string;
            /**
             * @description Whether events were removed from the feed before this webhook got them.
             * @example false
             */
            missed: boolean;
            /**
             * Format: date-time
             * @description When the last attempt was made; null: none was.
             * @example null
             */
            lastAttemptAt: string | null;
            /**
             * Format: int32
             * @description The HTTP status of the answer to the last attempt; null: no answer came.
             * @example 204
             */
            lastStatus: number | null;
            /**
             * @description Why no answer came to the last attempt, or null.
             * @example null
             * @enum {string|null}
             */
            lastError: "timeout" | "dns" | "blocked_address" | "connect" | "tls" | "bad_response" | null;
            /**
             * Format: date-time
             * @description The first failure since the last success, or null.
             * @example null
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When a failed event is sent again; null: nothing waits for a moment.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
            /**
             * @description The secret that signs deliveries: store it now.
             * @example whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            secret: string;
        };
        /** @description A webhook and what waits for it. */
        WebhookState: {
            /**
             * Format: uuid
             * @description Identifier of the webhook.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            id: string;
            /**
             * Format: uuid
             * @description The key whose webhook it is.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: uri
             * @description Where events are sent: `https`, at a public address, without user, password and fragment. A sandbox takes `http` too.
             * @example https://partner.example/hooks/animals
             */
            url: string;
            /**
             * @description Only events of these types are sent; null: all that the key sees.
             * @example [
             *       "order.approved",
             *       "order.expired"
             *     ]
             */
            types: ("pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired" | "key.quota_reached" | "key.banned" | "webhook.disabled")[] | null;
            /** @description Whether events are sent. None is lost while it is disabled, as long as events are kept. */
            status: components["schemas"]["WebhookStatus"];
            /**
             * @description Why it is disabled: its endpoint answered 410 (`gone`), it failed for five days (`failing`), its key is revoked, has expired or lost its access (`key`, which ends with that), or a caller has done it (`caller`).
             * @example null
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | "key" | "caller" | null;
            /**
             * @description Its place: a cursor of listEvents after the last event that was delivered or did not match.
             * @example AQAAAAAAAAAqR3xJPaXzcT8
             */
            cursor: string;
            /**
             * @description Whether events were removed from the feed before this webhook got them.
             * @example false
             */
            missed: boolean;
            /**
             * Format: date-time
             * @description When the last attempt was made; null: none was.
             * @example null
             */
            lastAttemptAt: string | null;
            /**
             * Format: int32
             * @description The HTTP status of the answer to the last attempt; null: no answer came.
             * @example 204
             */
            lastStatus: number | null;
            /**
             * @description Why no answer came to the last attempt, or null.
             * @example null
             * @enum {string|null}
             */
            lastError: "timeout" | "dns" | "blocked_address" | "connect" | "tls" | "bad_response" | null;
            /**
             * Format: date-time
             * @description The first failure since the last success, or null.
             * @example null
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When a failed event is sent again; null: nothing waits for a moment.
             * @example null
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: int64
             * @description The events that wait to be delivered, counted up to 10,000 among the changes that follow.
             * @example 3
             */
            waiting: Int64;
        };
        /** @description Changes to a webhook: at least one field. */
        WebhookUpdate: {
            /**
             * Format: uri
             * @description Where events are sent: `https`, at a public address, without user, password and fragment. A sandbox takes `http` too.
             * @example https://partner.example/hooks/animals
             */
            url?: string;
            /**
             * @description Only events of these types are sent; null: all that the key sees.
             * @example [
             *       "order.approved",
             *       "order.expired"
             *     ]
             */
            types?: ("pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired" | "key.quota_reached" | "key.banned" | "webhook.disabled")[] | null;
            /** @description `active` goes on at its place and tries again at once; what its key has stopped goes on with the key only. `disabled` sends nothing. */
            status?: components["schemas"]["WebhookStatus"];
            /**
             * @description Goes on after this cursor of listEvents; `latest`: with what happens from now on.
             * @example latest
             */
            cursor?: string;
        };
        NoBody: Record<string, never>;
        /** @description A webhook that is tested. */
        TestedWebhook: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            keyId: string;
            /**
             * Format: uuid
             * @description Identifier of the webhook.
             * @example 0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34
             */
            webhookId: string;
        };
        /** @description A test, which testWebhook sends. It is not in the feed. */
        TestEvent: {
            /**
             * @description Identifier of the event.
             * @example evt_0199e4a2-6c00-7c3b-9a51-5d1a3f1e2a34
             */
            id: string;
            /**
             * @description What happened.
             * @example webhook.test
             * @enum {string}
             */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description When (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            timestamp: string;
            /** @description The webhook. */
            data: components["schemas"]["TestedWebhook"];
        };
        /** @description What came back from an endpoint. */
        WebhookTest: {
            /**
             * Format: int32
             * @description The HTTP status of the answer; null: no answer came.
             * @example 204
             */
            status: number | null;
            /**
             * @description Why no answer came, or null.
             * @example null
             * @enum {string|null}
             */
            error: "timeout" | "dns" | "blocked_address" | "connect" | "tls" | "bad_response" | null;
            /**
             * Format: int32
             * @description How long it took.
             * @example 87
             */
            durationMs: number;
        };
        /**
         * @description A set of limits; those of enterprise are set on the key.
         * @enum {string}
         */
        Plan: "free" | "pro" | "business" | "enterprise";
        /**
         * @description What a key may do. Each step includes those before it: `read` the catalogue and own limits, `order` animals, `manage` the store, administer (`admin`) keys.
         * @enum {string}
         */
        Access: "read" | "order" | "manage" | "admin";
        /**
         * @description Whether a key works.
         * @enum {string}
         */
        KeyState: "active" | "banned" | "expired" | "revoked";
        /** @description An API key without its secret. */
        Key: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             */
            id: string;
            /**
             * @description Whose key it is: printable characters.
             * @example price feed
             */
            name: string;
            /**
             * @description The operator's own id of the holder.
             * @example crm-4711
             */
            reference: string | null;
            /** @description The plan, which has the limits. */
            plan: components["schemas"]["Plan"];
            /**
             * Format: int32
             * @description Requests per minute.
             */
            perMinute: number | null;
            /**
             * Format: int32
             * @description Requests per UTC day.
             */
            perDay: number | null;
            /** @description What the key may do. */
            access: components["schemas"]["Access"];
            /** @description revoked, else expired, else banned, else active: a key in any other state is refused. */
            state: components["schemas"]["KeyState"];
            /**
             * @description How the secret begins, to recognise it.
             * @example ask_003aUlTJ
             */
            prefix: string;
            /**
             * Format: date-time
             * @description When the key was issued.
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the key ends (RFC 3339); null: never.
             * @example 2027-11-20T12:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When the key was revoked, or null.
             * @example null
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The newest request of the key, at most 10 s behind, or null.
             * @example null
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description The end of a ban in force, or null.
             * @example null
             */
            bannedUntil: string | null;
        };
        /** @description A key to issue. */
        NewKey: {
            /**
             * @description Whose key it is: printable characters.
             * @example price feed
             */
            name: string;
            /** @description The plan, which has the limits. */
            plan: components["schemas"]["Plan"];
            /**
             * Format: int32
             * @description Requests per minute, exactly with the plan enterprise.
             */
            perMinute?: number;
            /**
             * Format: int32
             * @description Requests per UTC day, exactly with the plan enterprise.
             */
            perDay?: number;
            /**
             * @description What the key may do. `admin` keys are issued by the command line only.
             * @default read
             */
            access?: components["schemas"]["Access"];
            /**
             * Format: date-time
             * @description When the key ends (RFC 3339); null: never.
             * @example 2027-11-20T12:00:00.000Z
             */
            expiresAt?: string | null;
            /**
             * @description The operator's own id of the holder.
             * @example crm-4711
             */
            reference?: string | null;
        };
        /** @description An API key with its secret, which is shown this once. */
        IssuedKey: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             */
            id: string;
            /**
             * @description Whose key it is: printable characters.
             * @example price feed
             */
            name: string;
            /**
             * @description The operator's own id of the holder.
             * @example crm-4711
             */
            reference: string | null;
            /** @description The plan, which has the limits. */
            plan: components["schemas"]["Plan"];
            /**
             * Format: int32
             * @description Requests per minute.
             */
            perMinute: number | null;
            /**
             * Format: int32
             * @description Requests per UTC day.
             */
            perDay: number | null;
            /** @description What the key may do. */
            access: components["schemas"]["Access"];
            /** @description revoked, else expired, else banned, else active: a key in any other state is refused. */
            state: components["schemas"]["KeyState"];
            /**
             * @description How the secret begins, to recognise it.
             * @example ask_003aUlTJ
             */
            prefix: string;
            /**
             * Format: date-time
             * @description When the key was issued.
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the key ends (RFC 3339); null: never.
             * @example 2027-11-20T12:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description When the key was revoked, or null.
             * @example null
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description The newest request of the key, at most 10 s behind, or null.
             * @example null
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description The end of a ban in force, or null.
             * @example null
             */
            bannedUntil: string | null;
            /**
             * @description The secret: store it now.
             * @example ask_00000000000000000000000000000000000000000002CZclj
             */
            key: string;
        };
        /** @description Changes to a key: at least one field. */
        KeyUpdate: {
            /**
             * @description Whose key it is: printable characters.
             * @example price feed
             */
            name?: string;
            /** @description The plan, which has the limits. */
            plan?: components["schemas"]["Plan"];
            /**
             * Format: int32
             * @description Requests per minute, exactly with the plan enterprise.
             */
            perMinute?: number;
            /**
             * Format: int32
             * @description Requests per UTC day, exactly with the plan enterprise.
             */
            perDay?: number;
            /**
             * Format: date-time
             * @description When the key ends (RFC 3339); null: never.
             * @example 2027-11-20T12:00:00.000Z
             */
            expiresAt?: string | null;
            /**
             * @description The operator's own id of the holder.
             * @example crm-4711
             */
            reference?: string | null;
            /** @description What the key may do; not `admin`. */
            access?: components["schemas"]["Access"];
        };
        /** @description How a key is rotated. */
        KeyRotation: {
            /**
             * Format: int32
             * @description How long the current secret still works; 0 ends it at once.
             * @default 86400
             */
            overlapSeconds?: number;
        };
        /** @description Something that was done to a key. */
        KeyEvent: {
            /**
             * Format: int64
             * @description Identifier of the event.
             * @example 7
             */
            id: Int64;
            /**
             * @description What was done.
             * @example updated
             * @enum {string}
             */
            kind: "created" | "updated" | "rotated" | "revoked" | "banned" | "unbanned";
            /**
             * @description Who did it: the id of a key, `command` or `service`.
             * @example command
             */
            actor: string;
            /**
             * @description The name that this key has now; null for `command` and `service`.
             * @example null
             */
            actorName: string | null;
            /**
             * Format: date-time
             * @description When it was done.
             * @example 2026-11-20T12:00:00.000Z
             */
            at: string;
            /**
             * @description Each changed field with its values before and after; never a secret.
             * @example {
             *       "plan": {
             *         "before": "free",
             *         "after": "pro"
             *       }
             *     }
             */
            changes: {
                [key: string]: {
                    before: (string | number) | null;
                    after: (string | number) | null;
                };
            };
        };
        /** @description An animal to add. */
        NewPet: {
            /**
             * @description The animal's name.
             * @example Rex
             */
            name: string;
            /**
             * Format: int64
             * @description Identifier of the category the animal belongs to: any int64, not checked for existence.
             * @example 7
             */
            categoryId: Int64;
            /**
             * @description One of the PetStatus values; available when omitted.
             * @default available
             */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Animals to add together. */
        NewPets: {
            /** @description 1 to 100 animals. */
            pets: components["schemas"]["NewPet"][];
        };
        /** @description Changes to an animal: at least one field. */
        PetUpdate: {
            /**
             * @description The animal's name.
             * @example Rex
             */
            name?: string;
            /**
             * Format: int64
             * @description Identifier of the category the animal belongs to: any int64, not checked for existence.
             * @example 7
             */
            categoryId?: Int64;
            /** @description From available to pending or sold, from pending to available or sold; sold is final. */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An order to place. */
        NewOrder: {
            /**
             * Format: int64
             * @description The animal to reserve: it must be available.
             * @example 1
             */
            petId: Int64;
            /**
             * @description The partner's own number of the order, of 1 to 255 characters; null: none.
             * @example PO-7
             */
            reference?: string | null;
        };
        /** @description The number of animals of every status. */
        Inventory: {
            /**
             * Format: int64
             * @description Available animals.
             * @example 120
             */
            available: Int64;
            /**
             * Format: int64
             * @description Reserved animals.
             * @example 4
             */
            pending: Int64;
            /**
             * Format: int64
             * @description Sold animals.
             * @example 1880
             */
            sold: Int64;
        };
        /** @description One window of a key. */
        RateLimitWindow: {
            /**
             * @example minute
             * @enum {string}
             */
            name: "minute" | "day";
            /**
             * Format: int32
             * @description Requests the window holds.
             * @example 60
             */
            limit: number;
            /**
             * Format: int32
             * @description Requests left in the window.
             * @example 59
             */
            remaining: number;
            /**
             * Format: int64
             * @description When the window ends, in Unix seconds.
             * @example 1795132860
             */
            resetAt: number;
        };
        /** @description The key whose limits these are. */
        OwnKey: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             */
            id: string;
            /**
             * @description Whose key it is.
             * @example price feed
             */
            name: string;
            /**
             * @description How the secret begins.
             * @example ask_003aUlTJ
             */
            prefix: string;
            /** @description What the key may do. */
            access: components["schemas"]["Access"];
            /**
             * Format: date-time
             * @description When the key, or a secret that was rotated, ends (RFC 3339); null: never.
             * @example null
             */
            expiresAt: string | null;
        };
        /** @description What a key may still do. */
        RateLimit: {
            /**
             * @example free
             * @enum {string}
             */
            plan: "free" | "pro" | "business" | "enterprise";
            /** @description The minute, then the UTC day. */
            windows: components["schemas"]["RateLimitWindow"][];
            /**
             * Format: date-time
             * @description The end of a ban in force (RFC 3339, UTC), or null.
             * @example null
             */
            bannedUntil: string | null;
            key: components["schemas"]["OwnKey"];
        };
        /** @description The requests of a key on one UTC day. */
        UsageDay: {
            /**
             * Format: date
             * @description The UTC day.
             * @example 2026-11-20
             */
            date: string;
            /**
             * Format: int64
             * @description Requests that were counted, whatever their response.
             * @example 412
             */
            admitted: Int64;
            /**
             * Format: int64
             * @description Requests that were answered with 429, including those during a ban.
             * @example 3
             */
            refused: Int64;
            /**
             * Format: int64
             * @description Calls of deprecated operations among the admitted.
             * @example 0
             */
            deprecated: Int64;
        };
        /** @description The body of every error answer. */
        Error: {
            /**
             * @description Machine-readable error code: one of `x-extensible-enum`, or one that a later release adds. A client that meets an unknown one goes by the status.
             * @example invalid_parameter
             */
            code: "bad_request" | "invalid_body" | "invalid_cursor" | "invalid_idempotency_key" | "invalid_parameter" | "malformed_json" | "invalid_api_key" | "missing_api_key" | "unauthorized" | "forbidden" | "insufficient_access" | "outdated_secret" | "key_not_found" | "not_found" | "order_not_found" | "pet_not_found" | "route_not_found" | "webhook_not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "idempotency_key_in_use" | "invalid_status_transition" | "pet_has_open_order" | "pet_not_available" | "too_many_open_orders" | "too_many_webhooks" | "endpoint_removed" | "event_expired" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "unprocessable" | "api_key_banned" | "rate_limit_exceeded" | "headers_too_large" | "request_failed" | "internal_error" | "service_unavailable";
            /**
             * @description Human-readable description: what was at fault, what was expected and what came.
             * @example limit: expected an integer from 1 to 100, got "500"
             */
            message: string;
            /**
             * Format: int32
             * @description The HTTP status code of the response.
             * @example 400
             */
            status: number;
        };
        /** @description A page of events. */
        Events: (components["schemas"]["PetEvent"] | components["schemas"]["OrderEvent"] | components["schemas"]["QuotaEvent"] | components["schemas"]["BanEvent"] | components["schemas"]["WebhookEvent"])[];
        /** @description A page of webhooks. */
        Webhooks: components["schemas"]["Webhook"][];
        /** @description A page of keys. */
        Keys: components["schemas"]["Key"][];
        /** @description A page of events. */
        KeyEvents: components["schemas"]["KeyEvent"][];
        /** @description A page of animals. */
        Pets: components["schemas"]["Pet"][];
        /** @description The animals added, in the order sent. */
        NewlyAddedPets: components["schemas"]["Pet"][];
        /** @description A page of orders. */
        Orders: components["schemas"]["Order"][];
        /** @description One entry for each day, oldest first, today last. */
        UsageDays: components["schemas"]["UsageDay"][];
    };
    responses: {
        /** @description Not changed: the ETag matches If-None-Match. */
        NotModified: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `bad_request`, `invalid_parameter`, `invalid_cursor` */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `missing_api_key`, `invalid_api_key` */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `request_timeout` */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `event_expired` */
        Gone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limit_exceeded`, `api_key_banned` */
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `headers_too_large` */
        RequestHeaderFieldsTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error` */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `service_unavailable` */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `insufficient_access` */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `bad_request`, `invalid_parameter`, `invalid_body`, `malformed_json` */
        BadRequest2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `precondition_failed` */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `body_too_large` */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unsupported_media_type` */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not changed: the ETag matches If-None-Match. */
        NotModified2: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `bad_request`, `invalid_parameter` */
        BadRequest3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `webhook_not_found` */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `key_not_found` */
        NotFound2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `bad_request`, `invalid_parameter`, `invalid_body`, `invalid_idempotency_key`, `malformed_json` */
        BadRequest4: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_key_in_use` */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_key_reused` */
        UnprocessableEntity: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `pet_not_found` */
        NotFound3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `order_not_found` */
        NotFound4: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The changed order. */
        OK: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Order"];
            };
        };
        /** @description The windows of the key. */
        OK2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimit"];
            };
        };
        /** @description One entry for each day, oldest first, today last. */
        OK3: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UsageDays"];
            };
        };
    };
    parameters: {
        /** @description Maximum number of events returned: the size of a page. */
        limit: number;
        /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
        "If-None-Match": string;
        /** @description By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental. */
        order: components["schemas"]["SortOrder"];
        /** @description Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters. */
        cursor: string;
        /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
        "If-None-Match2": string;
        /** @description The identifier of the webhook. */
        webhookId: string;
        /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
        "If-Match": string;
        /** @description The identifier of the key, or `me` for your own. */
        keyId: string;
        /** @description The identifier of the key. */
        keyId2: string;
        /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
        "Idempotency-Key": string;
        /** @description The identifier of the animal. */
        petId: Int64;
        /** @description The identifier of the order. */
        orderId: Int64;
        /** @description How many days are reported, today included: `7` is the last week. */
        days: number;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listEvents: {
        parameters: {
            query?: {
                /** @description Only events of these types, separated by commas: `order.placed,order.expired`. The form `types=a&types=b` is accepted too. The types may change between pages. */
                types?: ("pet.created" | "pet.updated" | "pet.deleted" | "order.placed" | "order.approved" | "order.delivered" | "order.cancelled" | "order.expired" | "key.quota_reached" | "key.banned" | "webhook.disabled")[];
                /** @description Maximum number of events returned: the size of a page. */
                limit?: components["parameters"]["limit"];
                /** @description Where to go on: the unchanged X-Next-Cursor of the page before, or `latest`: now. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Events"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Maximum number of webhooks returned: the size of a page. */
                limit?: number;
                /** @description By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental. */
                order?: components["parameters"]["order"];
                /** @description Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhooks"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://partner.example/hooks/animals"
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Webhook created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhook"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description `too_many_webhooks` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the webhook. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookState"];
                };
            };
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the webhook. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the webhook. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://partner.example/hooks/animals"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            /** @description The changed webhook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description `bad_request`, `invalid_parameter`, `invalid_body`, `invalid_cursor`, `malformed_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the webhook. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhook"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The identifier of the webhook. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description What came back. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description `conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of keys returned: the size of a page. */
                limit?: number;
                /** @description Filters by plan. */
                plan?: components["schemas"]["Plan"];
                /** @description Filters by access: exactly this one. */
                access?: components["schemas"]["Access"];
                /** @description Filters by state. */
                state?: components["schemas"]["KeyState"];
                /** @description Searches: a part of the name or the reference, whatever the case, or how a secret begins (`ask_003aUlTJ`). */
                q?: string;
                /** @description Filters by reference. */
                reference?: string;
                /** @description Filters by whether the key has called a deprecated operation in the last 30 days. */
                usesDeprecated?: boolean;
                /** @description By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental. */
                order?: components["parameters"]["order"];
                /** @description Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keys"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "price feed",
                 *       "plan": "free"
                 *     }
                 */
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description Key issued. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the key, or `me` for your own. */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the key. */
                keyId: components["parameters"]["keyId2"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the key. */
                keyId: components["parameters"]["keyId2"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "price feed"
                 *     }
                 */
                "application/json": components["schemas"]["KeyUpdate"];
            };
        };
        responses: {
            /** @description The changed key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            /** @description `invalid_status_transition` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the key, or `me` for your own. */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["KeyRotation"];
            };
        };
        responses: {
            /** @description The key with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            /** @description `insufficient_access`, `outdated_secret` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            /** @description `invalid_status_transition` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    unbanKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The identifier of the key. */
                keyId: components["parameters"]["keyId2"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listKeyEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of events returned: the size of a page. */
                limit?: components["parameters"]["limit"];
                /** @description By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental. */
                order?: components["parameters"]["order"];
                /** @description Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the key, or `me` for your own. */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyEvents"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPets: {
        parameters: {
            query?: {
                /** @description Maximum number of animals returned: the size of a page. */
                limit?: number;
                /** @description Filters by availability status: `sold` lists what is sold. */
                status?: components["schemas"]["PetStatus"];
                /** @description Filters by category, for example `7`. Experimental. */
                categoryId?: Int64;
                /** @description Only the animals with these ids, separated by commas: `1,2,3`. The form `ids=1&ids=2` is accepted too, and every id counts once. Ids that no animal has are left out. With exactly one id the `ETag` is that of the animal, which `If-Match` accepts. */
                ids?: Int64[];
                /** @description By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental. */
                order?: components["parameters"]["order"];
                /** @description Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of animals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Rex",
                 *       "categoryId": 7
                 *     }
                 */
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description Animal added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPets: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pets": [
                 *         {
                 *           "name": "Rex",
                 *           "categoryId": 7
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewPets"];
            };
        };
        responses: {
            /** @description The animals added, in the order sent. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewlyAddedPets"];
                };
            };
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the animal. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal exists. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description Not changed: the ETag matches If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `bad_request`, `invalid_parameter` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `missing_api_key`, `invalid_api_key` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `pet_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `request_timeout` */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `endpoint_removed` */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limit_exceeded`, `api_key_banned` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `headers_too_large` */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the animal. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound3"];
            408: components["responses"]["RequestTimeout"];
            /** @description `pet_has_open_order` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
            };
            path: {
                /** @description The identifier of the animal. */
                petId: components["parameters"]["petId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Rex"
                 *     }
                 */
                "application/json": components["schemas"]["PetUpdate"];
            };
        };
        responses: {
            /** @description The changed animal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["BadRequest2"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound3"];
            408: components["responses"]["RequestTimeout"];
            /** @description `invalid_status_transition`, `pet_has_open_order` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description Maximum number of orders returned: the size of a page. */
                limit?: number;
                /** @description Filters by status: `placed` lists what waits for approval. */
                status?: components["schemas"]["OrderStatus"];
                /** @description Filters by the key that placed the order. Takes `manage` access. */
                keyId?: string;
                /** @description Filters by animal. Takes `manage` access. */
                petId?: Int64;
                /** @description Filters by reference. */
                reference?: string;
                /** @description By id: ascending, or descending with `desc`. A cursor belongs to its order. Experimental. */
                order?: components["parameters"]["order"];
                /** @description Where the page starts: the unchanged X-Next-Cursor of the previous page, with the same filters. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of orders. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Orders"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "petId": 1
                 *     }
                 */
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description Order placed. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound3"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_key_in_use`, `pet_not_available`, `too_many_open_orders` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the order. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound4"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    approveOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The identifier of the order. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            200: components["responses"]["OK"];
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound4"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_key_in_use`, `invalid_status_transition` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deliverOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The identifier of the order. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            200: components["responses"]["OK"];
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound4"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_key_in_use`, `invalid_status_transition` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that the change is meant for, in quotes, a list of them, or `*`. When the resource has another one by now, nothing changes and the answer is 412. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description An `ETag` in quotes, a list of them, or `*`. When the resource has one of them, nothing changes and the answer is 412. */
                "If-None-Match"?: components["parameters"]["If-None-Match2"];
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first response again. A fresh UUID fits: `7f3c0a52-9d41-4a3f-8e55-2b9d1c6f0e11`. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description The identifier of the order. */
                orderId: components["parameters"]["orderId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            200: components["responses"]["OK"];
            400: components["responses"]["BadRequest4"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound4"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_key_in_use`, `invalid_status_transition` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInventory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of animals of every status. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inventory"];
                };
            };
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRateLimit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK2"];
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getKeyLimits: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the key, or `me` for your own. */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK2"];
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description How many days are reported, today included: `7` is the last week. */
                days?: components["parameters"]["days"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK3"];
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getKeyUsage: {
        parameters: {
            query?: {
                /** @description How many days are reported, today included: `7` is the last week. */
                days?: components["parameters"]["days"];
            };
            header?: {
                /** @description The ETag of a response that the caller has, in quotes. While it is still the same, the answer is 304 without a body. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description The identifier of the key, or `me` for your own. */
                keyId: components["parameters"]["keyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK3"];
            304: components["responses"]["NotModified2"];
            400: components["responses"]["BadRequest3"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound2"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    on_pet_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_pet_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_pet_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_order_placed: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_order_approved: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_order_delivered: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_order_cancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_order_expired: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_key_quota_reached: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_key_banned: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BanEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_disabled: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_test: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event: a receiver that has seen it ignores the message. */
                "webhook-id": string;
                /** @description When the attempt was made, in seconds since the epoch. */
                "webhook-timestamp": string;
                /** @description Signatures of `id.timestamp.body`, `v1,` and base64, separated by spaces (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestEvent"];
            };
        };
        responses: {
            /** @description Gone: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received: the next event follows. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not received: the event is sent again. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
