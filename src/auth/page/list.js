/* The list of all keys: filters, pages, rows. */

import { call } from './api.js';
import {
  ACCESSES,
  at,
  day,
  element,
  expiry,
  fillSelect,
  foreign,
  PLANS,
  showState,
  STATES,
  tell,
} from './dom.js';

const PAGE_SIZE = 25;

/** The cursor of every page up to the shown one; the first page has none. */
let cursors = [undefined];
let nextCursor;
/** Counts the reads, so that only the last one is shown. */
let reads = 0;

/** @param onOpen called with the id of the chosen key @param attempt runs work and reports its problems */
export function startList(onOpen, attempt) {
  const filters = at('filters');
  fillSelect(filters.elements.plan, PLANS, 'any');
  fillSelect(filters.elements.access, ACCESSES, 'any');
  fillSelect(filters.elements.state, STATES, 'any');
  const goTo = (pages) => attempt(() => showList(pages));
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    goTo([undefined]);
  });
  // The fields are empty only after this event.
  filters.addEventListener('reset', () => queueMicrotask(() => goTo([undefined])));
  at('next').addEventListener('click', () => goTo([...cursors, nextCursor]));
  at('previous').addEventListener('click', () => goTo(cursors.slice(0, -1)));
  at('rows').addEventListener('click', ({ target }) => {
    const id = target.closest('button')?.dataset.id;
    if (id !== undefined) onOpen(id);
  });
}

/** Reads and shows a page: the shown one again, or the last of `pages`. */
export async function showList(pages = cursors) {
  const query = new URLSearchParams({ limit: PAGE_SIZE });
  for (const [name, value] of new FormData(at('filters'))) if (value !== '') query.append(name, value);
  const isFiltered = query.size > 1;
  const cursor = pages.at(-1);
  if (cursor !== undefined) query.append('cursor', cursor);
  const read = ++reads;
  const answer = await call('GET', `/keys?${query}`);
  if (read !== reads) return;
  cursors = pages;
  nextCursor = answer.nextCursor;
  at('rows').replaceChildren(...answer.body.map(row));
  at('keys').hidden = answer.body.length === 0;
  const none = isFiltered ? 'No key matches these filters.' : 'There are no keys.';
  tell(at('no-rows'), answer.body.length === 0 ? none : '');
  at('previous').disabled = pages.length === 1;
  at('next').disabled = nextCursor === undefined;
  at('page-number').textContent = `Page ${pages.length}`;
}

export function clearList() {
  reads += 1;
  cursors = [undefined];
  at('filters').reset();
  at('rows').replaceChildren();
}

/** The focus goes back to the key that was open. */
export function focusKey(id) {
  const button = [...at('rows').querySelectorAll('button')].find(({ dataset }) => dataset.id === id);
  (button ?? at('all-title')).focus();
}

function row(key) {
  const open = element('button', { type: 'button', className: 'link' }, foreign(key.name));
  open.dataset.id = key.id;
  const state = element('span');
  showState(state, key.state);
  const wide = (...children) => element('td', { className: 'wide' }, ...children);
  return element(
    'tr',
    {},
    element('td', {}, open, ' ', element('code', { className: 'note' }, key.prefix)),
    wide(foreign(key.reference ?? '')),
    element('td', {}, key.access),
    element('td', {}, state),
    wide(key.plan),
    wide(...expiry(key, day)),
    wide(key.lastUsedAt === null ? 'never' : day(key.lastUsedAt)),
  );
}
