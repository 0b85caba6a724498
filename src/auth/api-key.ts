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

/** What a request needs to know of the key it came with. */
export interface CallerKey {
  id: string;
  plan: Plan;
  perMinute: number;
  perDay: number;
  readOnly: boolean;
}
