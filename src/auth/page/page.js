/* The page of /keys: opening it with a key, and the way between the list and one key. */

import { call, endSession, Forgotten, startSession } from './api.js';
import { askToEdit, askToIssue, askToRevoke, askToRotate, closeDialogs, startDialogs } from './dialogs.js';
import { at, tell } from './dom.js';
import { clearKey, showDays, showKey, shownKey, showMoreEvents } from './key.js';
import { clearList, focusKey, showList, startList } from './list.js';

/** The key that the page was opened with, without its secret. */
let me = null;

/** Runs work that the user started, and shows its problem. */
async function attempt(work) {
  tell(at('problem'), '');
  try {
    await work();
  } catch (problem) {
    const message = messageOf(problem);
    tell(at('problem'), message);
  }
}

/** The message of a problem; a key that no longer works is forgotten. */
function messageOf(problem) {
  if (problem instanceof Forgotten) return '';
  if (problem.status === 401) forget();
  const changed = 'Somebody else has changed this key. Cancel to see it as it is now.';
  return problem.status === 412 ? `${changed} (${problem.message})` : problem.message;
}

async function openPage() {
  at('status').textContent = 'Reading…';
  try {
    const [own] = await Promise.all([call('GET', '/keys/me'), showList([undefined])]);
    me = own.body;
    at('whose-name').textContent = me.name;
    at('sign-in').hidden = true;
    at('whose').hidden = false;
    showAll();
  } catch (problem) {
    if (!(problem instanceof Forgotten)) forget();
    throw problem;
  } finally {
    at('status').textContent = '';
  }
}

function showAll() {
  clearKey();
  at('one').hidden = true;
  at('all').hidden = false;
}

async function openKey(id) {
  await showKey(id, me);
  at('all').hidden = true;
  at('one').hidden = false;
  at('one-title').focus();
}

/** The button that had the focus may be hidden afterwards. */
async function showAgain() {
  await showKey(shownKey().key.id, me);
  if (document.activeElement === document.body) at('one-title').focus();
}

async function goBack() {
  const { id } = shownKey().key;
  showAll();
  await showList();
  focusKey(id);
}

/** Nothing of a key stays in the page, on the screen or not. */
function forget() {
  endSession();
  me = null;
  at('admin-key').value = '';
  closeDialogs();
  clearList();
  clearKey();
  at('whose-name').textContent = '';
  for (const id of ['whose', 'all', 'one']) at(id).hidden = true;
  at('sign-in').hidden = false;
}

at('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  startSession(at('admin-key').value.trim());
  at('admin-key').value = '';
  void attempt(openPage);
});
at('forget').addEventListener('click', () => {
  forget();
  tell(at('problem'), '');
  at('status').textContent = 'The key is forgotten.';
  at('admin-key').focus();
});
// A page that was left may be kept in memory for the way back.
window.addEventListener('pagehide', forget);

startList((id) => attempt(() => openKey(id)), attempt);
startDialogs(() => {
  if (me === null) return;
  // Also after a refusal: the key may have changed meanwhile.
  void attempt(() => (shownKey() === null ? showList() : showAgain()));
}, messageOf);

at('back').addEventListener('click', () => void attempt(goBack));
at('issue').addEventListener('click', askToIssue);
at('edit').addEventListener('click', () => askToEdit(shownKey()));
at('rotate').addEventListener('click', () => askToRotate(shownKey(), shownKey().key.id === me.id));
at('revoke').addEventListener('click', () => void attempt(() => askToRevoke(shownKey())));
at('unban').addEventListener('click', () =>
  attempt(async () => {
    const { id } = shownKey().key;
    await call('POST', `/keys/${id}/unban`);
    await showAgain();
  }),
);
at('more-events').addEventListener('click', () => void attempt(showMoreEvents));
window
  .matchMedia('(prefers-color-scheme: dark)')
  .addEventListener('change', () => shownKey() !== null && showDays());
