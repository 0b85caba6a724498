// Made from openapi.json by `npm run generate`; not to be changed by hand.
import type { Int64 } from './int64.js';

export interface paths {
    "/rate-limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is left of the limits.
         * @description Free of charge, and answered with the windows exhausted and during a ban too.
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
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the key has used, day by day.
         * @description One entry for each UTC day, oldest first, days without requests included. Today comes last and is at most 10 s behind. Counts as a request itself; what is free of charge is in no figure.
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
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals.
         * @description Ascending by id, a page at a time. While more follow, `X-Next-Cursor` and `Link` name the next page; the last page carries neither. A walk shows every animal that existed throughout exactly once.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal.
         * @description Needs a key that may write. Answers the animal with the id it was given.
         */
        post: operations["createPet"];
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
         * @description Deprecated: removal is scheduled for 5 December 2030. Use `GET /pets` with a status filter, or with `ids=` for animals whose ids are known.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        /**
         * Remove an animal.
         * @description Its id is never used again. An animal that an open order reserves stays.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change an animal.
         * @description Any of name, category and status. A status goes from available to pending or sold, from pending to available or sold; sold is final. While an open order reserves the animal, its status is left to the order.
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
         * List your orders.
         * @description The orders that this API key has placed: ascending by id, in pages as those of listPets.
         */
        get: operations["listOrders"];
        put?: never;
        /**
         * Order an animal.
         * @description Reserves an available animal: it is pending until the order ends. Of any number of orders at once for one animal exactly one wins.
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
         * Fetch one of your orders.
         * @description Another key's order is not found.
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
         * @description From placed to approved. Takes no body, or an empty object.
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
         * @description From approved to delivered; the animal is sold. Takes no body, or an empty object.
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
         * @description From placed or approved to cancelled; the animal is available again. Takes no body, or an empty object.
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
         * How many animals there are of every status.
         * @description Counted anew for every request: over many animals it takes its time.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One window of a key. */
        RateLimitWindow: {
            /**
             * @example minute
             * @enum {string}
             */
            name: "minute" | "day";
            /**
             * @description Requests the window holds.
             * @example 60
             */
            limit: number;
            /**
             * @description Requests left in the window.
             * @example 59
             */
            remaining: number;
            /**
             * @description When the window ends, in Unix seconds.
             * @example 1795132860
             */
            resetAt: number;
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
             * @description Requests that counted, however they ended.
             * @example 412
             */
            admitted: Int64;
            /**
             * Format: int64
             * @description Requests that were answered 429, those during a ban included.
             * @example 3
             */
            refused: Int64;
        };
        /**
         * @description Whether an animal can be had.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
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
             * @description Identifier of the category the animal belongs to.
             * @example 7
             */
            categoryId: Int64;
            /** @description Whether the animal can be had. */
            status: components["schemas"]["PetStatus"];
        };
        /** @description What is to change of an animal: at least one field. */
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
        NoBody: Record<string, never>;
        /**
         * @description How far an order has come.
         * @enum {string}
         */
        OrderStatus: "placed" | "approved" | "delivered" | "cancelled";
        /** @description An order to place. */
        NewOrder: {
            /**
             * Format: int64
             * @description The animal to reserve: it must be available.
             * @example 42
             */
            petId: Int64;
        };
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
             * @description The animal that was ordered.
             * @example 42
             */
            petId: Int64;
            /** @description placed, then approved, then delivered; cancelled from either of the first two. */
            status: components["schemas"]["OrderStatus"];
            /**
             * Format: date-time
             * @description When it was placed (RFC 3339, UTC).
             * @example 2026-11-20T12:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its status last changed (RFC 3339, UTC).
             * @example 2026-11-20T12:05:00.000Z
             */
            updatedAt: string;
        };
        /** @description The number of animals of every status. */
        Inventory: {
            /**
             * Format: int64
             * @description Animals that can be had.
             * @example 120
             */
            available: Int64;
            /**
             * Format: int64
             * @description Animals that are reserved.
             * @example 4
             */
            pending: Int64;
            /**
             * Format: int64
             * @description Animals that are sold.
             * @example 1880
             */
            sold: Int64;
        };
        /** @description The body of every error answer. */
        Error: {
            /**
             * @description Machine-readable error code, from a closed set.
             * @example invalid_parameter
             * @enum {string}
             */
            code: "malformed_json" | "invalid_body" | "invalid_parameter" | "invalid_cursor" | "invalid_idempotency_key" | "bad_request" | "missing_api_key" | "invalid_api_key" | "read_only_key" | "pet_not_found" | "order_not_found" | "route_not_found" | "method_not_allowed" | "request_timeout" | "pet_not_available" | "pet_has_open_order" | "invalid_status_transition" | "idempotency_key_in_use" | "endpoint_removed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "headers_too_large" | "internal_error" | "service_unavailable";
            /**
             * @description Human-readable description: what was at fault, what was expected and what came.
             * @example limit: expected an integer from 1 to 100, got "500"
             */
            message: string;
            /**
             * @description The HTTP status code of the response.
             * @example 400
             */
            status: number;
        };
        /** @description A page of animals. */
        Pets: components["schemas"]["Pet"][];
        /** @description A page of orders. */
        Orders: components["schemas"]["Order"][];
        /** @description One entry for each day, oldest first, today last. */
        UsageDays: components["schemas"]["UsageDay"][];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRateLimit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The windows of the key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RateLimit"];
                };
            };
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    getUsage: {
        parameters: {
            query?: {
                /** @description How many days are reported; today is the last of them. */
                days?: number;
            };
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last days of the key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageDays"];
                };
            };
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    listPets: {
        parameters: {
            query?: {
                /** @description Maximum number of animals returned. */
                limit?: number;
                /** @description Filters by availability status. */
                status?: components["schemas"]["PetStatus"];
                /** @description Filters by category. Experimental. */
                categoryId?: Int64;
                /** @description Only the animals with these ids, separated by commas. Experimental. */
                ids?: Int64[];
                /** @description Where the page starts: the X-Next-Cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
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
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`invalid_cursor`](/docs/errors#invalid_cursor) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body), [`invalid_idempotency_key`](/docs/errors#invalid_idempotency_key) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_in_use`](/docs/errors#idempotency_key_in_use) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_reused`](/docs/errors#idempotency_key_reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The identifier of the animal. */
                petId: Int64;
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
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`pet_not_found`](/docs/errors#pet_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`endpoint_removed`](/docs/errors#endpoint_removed) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
            header?: never;
            path: {
                /** @description The identifier of the animal. */
                petId: Int64;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description The animal is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`pet_not_found`](/docs/errors#pet_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`pet_has_open_order`](/docs/errors#pet_has_open_order) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    updatePet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The identifier of the animal. */
                petId: Int64;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetUpdate"];
            };
        };
        responses: {
            /** @description The animal as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`pet_not_found`](/docs/errors#pet_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`pet_has_open_order`](/docs/errors#pet_has_open_order), [`invalid_status_transition`](/docs/errors#invalid_status_transition) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    listOrders: {
        parameters: {
            query?: {
                /** @description Maximum number of orders returned. */
                limit?: number;
                /** @description Filters by status. */
                status?: components["schemas"]["OrderStatus"];
                /** @description Where the page starts: the X-Next-Cursor of the page before, with the same filters. */
                cursor?: string;
            };
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
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
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`invalid_cursor`](/docs/errors#invalid_cursor) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    placeOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body), [`invalid_idempotency_key`](/docs/errors#invalid_idempotency_key) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`pet_not_found`](/docs/errors#pet_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_in_use`](/docs/errors#idempotency_key_in_use), [`pet_not_available`](/docs/errors#pet_not_available) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_reused`](/docs/errors#idempotency_key_reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    getOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The identifier of the order. */
                orderId: Int64;
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
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`order_not_found`](/docs/errors#order_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    approveOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The identifier of the order. */
                orderId: Int64;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description The order as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body), [`invalid_idempotency_key`](/docs/errors#invalid_idempotency_key) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`order_not_found`](/docs/errors#order_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_in_use`](/docs/errors#idempotency_key_in_use), [`invalid_status_transition`](/docs/errors#invalid_status_transition) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_reused`](/docs/errors#idempotency_key_reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    deliverOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The identifier of the order. */
                orderId: Int64;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description The order as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body), [`invalid_idempotency_key`](/docs/errors#invalid_idempotency_key) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`order_not_found`](/docs/errors#order_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_in_use`](/docs/errors#idempotency_key_in_use), [`invalid_status_transition`](/docs/errors#invalid_status_transition) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_reused`](/docs/errors#idempotency_key_reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    cancelOrder: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: a repeat of the same request with the same key within 24 hours gets the first answer again. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The identifier of the order. */
                orderId: Int64;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NoBody"];
            };
        };
        responses: {
            /** @description The order as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter), [`malformed_json`](/docs/errors#malformed_json), [`invalid_body`](/docs/errors#invalid_body), [`invalid_idempotency_key`](/docs/errors#invalid_idempotency_key) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`read_only_key`](/docs/errors#read_only_key) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`order_not_found`](/docs/errors#order_not_found) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_in_use`](/docs/errors#idempotency_key_in_use), [`invalid_status_transition`](/docs/errors#invalid_status_transition) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`body_too_large`](/docs/errors#body_too_large) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`unsupported_media_type`](/docs/errors#unsupported_media_type) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`idempotency_key_reused`](/docs/errors#idempotency_key_reused) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
    getInventory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of an answer the caller holds; 304 when it is still the same. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers of animals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inventory"];
                };
            };
            /** @description The caller holds this answer already (If-None-Match). */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`bad_request`](/docs/errors#bad_request), [`invalid_parameter`](/docs/errors#invalid_parameter) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`missing_api_key`](/docs/errors#missing_api_key), [`invalid_api_key`](/docs/errors#invalid_api_key) */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`request_timeout`](/docs/errors#request_timeout) */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`uri_too_long`](/docs/errors#uri_too_long) */
            414: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`rate_limit_exceeded`](/docs/errors#rate_limit_exceeded), [`api_key_banned`](/docs/errors#api_key_banned) */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`headers_too_large`](/docs/errors#headers_too_large) */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`internal_error`](/docs/errors#internal_error) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description [`service_unavailable`](/docs/errors#service_unavailable) */
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
}
