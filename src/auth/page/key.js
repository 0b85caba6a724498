/* One key: its facts, what may be done to it, its history and its usage. */

import { drawDays, totalsOf } from '../usage/days.js';
import { call } from './api.js';
import { at, element, expiry, foreign, limits, moment, showState, tell } from './dom.js';

const DAYS = 30;
const EVENTS_PAGE_SIZE = 20;
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** The shown key with its entity tag, or null while the list is shown. */
let shown = null;
let eventsCursor;
let days = [];
/** Counts the reads, so that only the last one is shown. */
let reads = 0;

export const shownKey = () => shown;

/** Reads and shows a key. `me` is the key that the page was opened with. */
export async function showKey(id, me) {
  const read = ++reads;
  const path = `/keys/${encodeURIComponent(id)}`;
  const [key, events, usage] = await Promise.all([
    call('GET', path),
    call('GET', `${path}/events?limit=${EVENTS_PAGE_SIZE}`),
    call('GET', `${path}/usage?days=${DAYS}`),
  ]);
  if (read !== reads) return;
  shown = { key: key.body, etag: key.etag };
  showFacts(key.body);
  showActions(key.body, me);
  at('events').replaceChildren();
  showEvents(events);
  days = usage.body;
  showDays();
}

export function clearKey() {
  reads += 1;
  shown = null;
  days = [];
  for (const id of ['one-name', 'one-state', 'facts', 'events', 'totals']) at(id).replaceChildren();
}

/** Adds the next page of the history. */
export async function showMoreEvents() {
  const { id } = shown.key;
  const query = new URLSearchParams({ limit: EVENTS_PAGE_SIZE, cursor: eventsCursor });
  const events = await call('GET', `/keys/${id}/events?${query}`);
  if (shown?.key.id === id) showEvents(events);
}

function showFacts(key) {
  at('one-name').textContent = key.name;
  showState(at('one-state'), key.state);
  const facts = [
    ['Reference', key.reference ? [foreign(key.reference)] : ['none']],
    ['Access', [key.access]],
    ['Plan', [limits(key)]],
    ['Expires', expiry(key)],
    ['Banned until', key.bannedUntil && [moment(key.bannedUntil)]],
    ['Revoked', key.revokedAt && [moment(key.revokedAt)]],
    ['Last used', [key.lastUsedAt === null ? 'never' : moment(key.lastUsedAt)]],
    ['Issued', [moment(key.createdAt)]],
    ['Begins with', [element('code', {}, key.prefix)]],
    ['Id', [element('code', {}, key.id)]],
  ];
  const rows = facts.filter(([, value]) => value);
  at('facts').replaceChildren(
    ...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, ...value))),
  );
}

function showActions(key, me) {
  const isRevoked = key.state === 'revoked';
  const isMe = key.id === me.id;
  const isAdmin = key.access === 'admin';
  at('edit').hidden = isRevoked || isAdmin;
  at('revoke').hidden = isRevoked || isAdmin;
  at('unban').hidden = key.state !== 'banned' || isAdmin;
  at('rotate').hidden = isRevoked || key.state === 'expired' || (isAdmin && !isMe);
  const note = isRevoked
    ? 'A revoked key never comes back.'
    : isAdmin
      ? `Keys with admin access are changed on the server's command line${isMe ? '; this one may rotate itself' : ''}.`
      : key.state === 'expired'
        ? 'An expired key works again once it has a later expiry.'
        : '';
  tell(at('one-note'), note);
}

function showEvents({ body, nextCursor }) {
  at('events').append(...body.map(eventItem));
  eventsCursor = nextCursor;
  at('more-events').hidden = nextCursor === undefined;
}

function eventItem({ kind, at: happenedAt, actor, changes }) {
  const what = element(
    'p',
    {},
    element('strong', {}, kind),
    ' by ',
    actorText(actor),
    ', ',
    moment(happenedAt),
  );
  const changed = Object.entries(changes ?? {}).map(([field, { before, after }]) =>
    element('li', {}, `${field}: `, valueText(before), ' → ', valueText(after)),
  );
  return element('li', {}, what, ...(changed.length > 0 ? [element('ul', {}, ...changed)] : []));
}

function actorText(actor) {
  if (actor === 'command') return 'the command line';
  if (actor === 'service') return 'the service';
  return actor === shown.key.id ? 'itself' : element('span', {}, 'key ', element('code', {}, actor));
}

function valueText(value) {
  if (value === null || value === undefined) return 'none';
  return ISO_TIME.test(value) ? moment(value) : foreign(String(value));
}

/** Draws the days again, for example in other colours. */
export function showDays() {
  at('totals').textContent = totalsOf(days);
  at('days').hidden = days.every(({ admitted, refused }) => admitted + refused === 0);
  if (!at('days').hidden) drawDays(at('days').firstElementChild, days);
}
