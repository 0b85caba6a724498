import type { KeyEvent } from 'animal-store-client';
import type { RecordOf } from '../api/records';
import { localTime } from '../shared/time';

export type KeyEventRecord = RecordOf<KeyEvent> & { actorName?: string | null };
type Value = string | number | null;

const FIELDS: Record<string, string> = {
  name: 'the name',
  reference: 'the reference',
  plan: 'the plan',
  access: 'the access',
  perMinute: 'the requests a minute',
  perDay: 'the requests a day',
  expiresAt: 'the end',
  bannedUntil: 'the end of the ban',
};

const TIME = /^\d{4}-\d{2}-\d{2}T/;

function textOf(field: string, value: Value): string {
  if (value === null) return field === 'expiresAt' ? 'never' : 'none';
  if (typeof value === 'number') return value.toLocaleString('en');
  return TIME.test(value) ? localTime(value) : `“${value}”`;
}

/** Who did it, by name where there is one. */
function actorOf({ actor, actorName }: KeyEventRecord): string {
  if (actor === 'command') return 'An operator, with a command,';
  if (actor === 'service') return 'The service';
  return actorName ?? `The key ${actor.slice(0, 8)}`;
}

const changeOf = (field: string, before: Value, after: Value) =>
  `${FIELDS[field] ?? field} from ${textOf(field, before)} to ${textOf(field, after)}`;

const listOf = (parts: string[]) => new Intl.ListFormat('en').format(parts);

/** What was done to a key, as a sentence: “Mia changed the plan from “free” to “pro”.” */
export function sentenceOfEvent(event: KeyEventRecord): string {
  const actor = actorOf(event);
  const changes = Object.entries(event.changes as Record<string, { before: Value; after: Value }>);
  switch (event.kind) {
    case 'created':
      return `${actor} issued the key.`;
    case 'updated':
      return `${actor} changed ${listOf(changes.map(([field, { before, after }]) => changeOf(field, before, after)))}.`;
    case 'rotated':
      return `${actor} gave the key a new secret.`;
    case 'revoked':
      return `${actor} revoked the key.`;
    case 'banned':
      return `${actor} banned the key for too many refused requests${until(changes)}.`;
    case 'unbanned':
      return `${actor} lifted the ban.`;
    default:
      return `${actor}: ${String(event.kind)}.`;
  }
}

function until(changes: [string, { after: Value }][]): string {
  const end = changes.find(([field]) => field === 'bannedUntil')?.[1].after;
  return typeof end === 'string' ? ` until ${localTime(end)}` : '';
}
