import type { Plan } from './plans.js';

/** A key as commands show it: everything but its secret. */
export interface ApiKey {
  /** A UUID. */
  id: string;
  name: string;
  plan: Plan;
  perMinute: number;
  perDay: number;
  readOnly: boolean;
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  bannedUntil: Date | null;
}

/** A key just issued: the only time its secret is seen. */
export interface IssuedApiKey extends ApiKey {
  key: string;
}

/** Something that happened to a key. */
export interface KeyEvent {
  kind: string;
  /** For people, such as the plan it was moved to. */
  detail: string | null;
  at: Date;
}

export interface KeyHistory {
  key: ApiKey;
  /** Oldest first. */
  events: KeyEvent[];
}

/** A ban of a key, over or not. A ban that follows soon lasts twice as long. */
export interface KeyBan {
  untilMs: number;
  lastedMs: number;
}

/** What a request needs to know of the key it came with. */
export interface CallerKey {
  id: string;
  plan: Plan;
  perMinute: number;
  perDay: number;
  readOnly: boolean;
  /** null: never ends. */
  expiresAtMs: number | null;
  /** The last ban; null: none, or forgiven. */
  ban: KeyBan | null;
  /** Refusals and bans from before this moment count no more; 0: never forgiven. */
  forgivenAtMs: number;
}
