import { AnimalStoreClient, ApiError, type RateLimit } from 'animal-store-client';
import { useSyncExternalStore } from 'react';
import { watchedFetch } from '../api/connection';
import { sentenceOf } from '../api/problems';

/** The key of this tab. /docs keeps it under the same name, so it is entered once for a tab. */
const KEY_ITEM = 'animal-store.key';
const KEY_FORMAT = /^ask_[0-9A-Za-z]{49}$/;

export type Me = RateLimit['key'];
export type Access = Me['access'];

export type Session =
  | { phase: 'signed-out'; reason?: string | undefined }
  | { phase: 'checking' }
  | { phase: 'unreachable'; problem: string }
  | { phase: 'open'; me: Me; client: AnimalStoreClient };

let session: Session = { phase: 'signed-out' };
const listeners = new Set<() => void>();

function set(next: Session): void {
  session = next;
  listeners.forEach((listener) => listener());
}

export const useSession = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );

/** The client of the key that is signed in. @throws Error when none is */
export function client(): AnimalStoreClient {
  if (session.phase !== 'open') throw new Error('Sign in first.');
  return session.client;
}

/** The key that is signed in. @throws Error when none is */
export function me(): Me {
  if (session.phase !== 'open') throw new Error('Sign in first.');
  return session.me;
}

const LADDER: Access[] = ['read', 'order', 'manage', 'admin'];

/** Whether the key has this access: each step of the ladder includes those before it. */
export const may = (access: Access) => LADDER.indexOf(me().access) >= LADDER.indexOf(access);

/** Opens the session of the key that this tab keeps, if there is one. */
export async function restore(): Promise<void> {
  const key = sessionStorage.getItem(KEY_ITEM);
  if (key === null) return;
  set({ phase: 'checking' });
  try {
    await open(key);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) signOut(sentenceOf(error));
    else set({ phase: 'unreachable', problem: sentenceOf(error) });
  }
}

/** Signs in. @throws Error with a sentence for the field */
export async function signIn(pasted: string): Promise<void> {
  const key = pasted.trim();
  if (key === '') throw new Error('Paste an API key.');
  if (!KEY_FORMAT.test(key))
    throw new Error('This is not a whole key: a key begins with “ask_” and has 53 letters and digits.');
  try {
    await open(key);
  } catch (error) {
    throw new Error(sentenceOf(error), { cause: error });
  }
}

/** Goes on with the new secret of the same key. */
export const replaceSecret = (secret: string) => open(secret);

/** Reads again what the key may do. */
export async function refreshMe(): Promise<void> {
  if (session.phase !== 'open') return;
  const { client } = session;
  const { key } = await client.getRateLimit();
  if (isOpenWith(client) && key.access !== me().access) set({ phase: 'open', me: key, client });
}

const isOpenWith = (client: AnimalStoreClient) => session.phase === 'open' && session.client === client;

/** Forgets the key and all that was read with it. */
export function signOut(reason?: string): void {
  sessionStorage.removeItem(KEY_ITEM);
  set({ phase: 'signed-out', reason });
}

async function open(key: string): Promise<void> {
  const opened: AnimalStoreClient = new AnimalStoreClient({
    baseUrl: new URL('v1', location.href).href,
    apiKey: key,
    async fetch(...input) {
      const response = await watchedFetch(...input);
      if (isOpenWith(opened)) await noticeRefusal(response);
      return response;
    },
    // A person waits: what takes longer is said at once.
    maxRetries: 2,
    maxRetryAfterMs: 1_500,
  });
  const { key: found } = await opened.getRateLimit();
  sessionStorage.setItem(KEY_ITEM, key);
  set({ phase: 'open', me: found, client: opened });
}

/** A key that was revoked or has expired meanwhile leads to the sign-in; one whose access was lowered gets the views that are left. */
async function noticeRefusal(response: Response): Promise<void> {
  if (response.status === 401)
    signOut(
      'The service does not accept this key any more: it was revoked, has expired, or its secret was rotated.',
    );
  else if (response.status === 403) await refreshMe().catch(() => undefined);
}
