/* The dialogs: issue or edit, rotate, revoke, and the secret that is shown once. */

import { call, replaceKey } from './api.js';
import { at, fillSelect, PLANS, tell } from './dom.js';

const COUNTED_ORDERS = 100;
const OPEN_STATUSES = ['placed', 'approved'];

/** What the open dialog does when its form is submitted. It resolves with the key where that has a new secret. */
let submit = async () => {};

/** @param onClosed called after any dialog has closed @param onRefused called with a problem, returns its message */
export function startDialogs(onClosed, onRefused) {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.querySelector('[value=cancel]').addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => {
      clear(dialog);
      onClosed(dialog.id);
    });
    dialog.querySelector('form')?.addEventListener('submit', (event) => {
      event.preventDefault();
      void run(dialog, onRefused);
    });
  }
  fillSelect(keyForm().elements.plan, PLANS);
  keyForm().elements.plan.addEventListener('change', showLimits);
  // Escape would lose a secret by accident.
  at('secret-dialog').addEventListener('cancel', (event) => event.preventDefault());
  at('copy').addEventListener('click', () => void copySecret());
}

/** Closes everything and forgets what was in it. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.close();
    clear(dialog);
  }
}

const keyForm = () => at('key-dialog').querySelector('form');

function clear(dialog) {
  dialog.querySelector('form')?.reset();
  for (const name of dialog.querySelectorAll('.name')) name.textContent = '';
  if (dialog.id !== 'secret-dialog') return;
  at('secret').textContent = '';
  at('copied').textContent = '';
}

async function run(dialog, onRefused) {
  const [problem, button] = [dialog.querySelector('.problem'), dialog.querySelector('[type=submit]')];
  tell(problem, '');
  button.disabled = true;
  try {
    const issued = await submit(new FormData(dialog.querySelector('form')));
    dialog.close();
    if (issued) showSecret(issued);
  } catch (refusal) {
    tell(problem, onRefused(refusal));
  } finally {
    button.disabled = false;
  }
}

function open(id, onSubmit, name = '') {
  const dialog = at(id);
  for (const place of dialog.querySelectorAll('.name')) place.textContent = name;
  const problem = dialog.querySelector('.problem');
  if (problem) tell(problem, '');
  submit = onSubmit;
  dialog.showModal();
}

function openKeyForm(title, button, values, onSubmit) {
  at('key-dialog-title').textContent = title;
  keyForm().querySelector('[type=submit]').textContent = button;
  for (const [name, value] of Object.entries(values)) keyForm().elements[name].value = value ?? '';
  showLimits();
  open('key-dialog', onSubmit);
}

/** Only an enterprise key has limits of its own. */
function showLimits() {
  const isEnterprise = keyForm().elements.plan.value === 'enterprise';
  const pair = keyForm().querySelector('.pair');
  pair.hidden = !isEnterprise;
  // A disabled field is neither required nor sent.
  for (const field of pair.querySelectorAll('input')) field.disabled = !isEnterprise;
}

/** The fields of the form as the service takes them. */
function fieldsOf(form) {
  const fields = Object.fromEntries(form);
  const { reference, expiresAt, perMinute, perDay } = fields;
  return {
    ...fields,
    reference: reference === '' ? null : reference,
    expiresAt: expiresAt === '' ? null : new Date(`${expiresAt}Z`).toISOString(),
    ...(perMinute === undefined ? {} : { perMinute: Number(perMinute), perDay: Number(perDay) }),
  };
}

export function askToIssue() {
  const values = { name: '', reference: '', plan: 'free', access: 'order', expiresAt: '' };
  openKeyForm('Issue a key', 'Issue', values, async (form) => {
    const given = Object.entries(fieldsOf(form)).filter(([, value]) => value !== null);
    return (await call('POST', '/keys', { body: Object.fromEntries(given) })).body;
  });
}

/** Sends what differs from the key as it was shown; the service refuses if somebody else changed it meanwhile. */
export function askToEdit({ key, etag }) {
  const toInput = (iso) => (iso === null ? '' : iso.slice(0, 16));
  const values = { ...key, expiresAt: toInput(key.expiresAt) };
  const { name, reference, access, plan, perMinute, perDay, expiresAt } = values;
  openKeyForm(
    'Edit the key',
    'Save',
    { name, reference, access, plan, perMinute, perDay, expiresAt },
    async (form) => {
      const fields = fieldsOf(form);
      const changes = {};
      for (const field of ['name', 'access'])
        if (fields[field] !== key[field]) changes[field] = fields[field];
      if (fields.reference !== (key.reference ?? null)) changes.reference = fields.reference;
      if (form.get('expiresAt') !== expiresAt) changes.expiresAt = fields.expiresAt;
      const isEnterprise = fields.plan === 'enterprise';
      const hasOtherLimits = isEnterprise && (fields.perMinute !== perMinute || fields.perDay !== perDay);
      if (fields.plan !== plan || hasOtherLimits) {
        changes.plan = fields.plan;
        if (isEnterprise) Object.assign(changes, { perMinute: fields.perMinute, perDay: fields.perDay });
      }
      if (Object.keys(changes).length > 0)
        await call('PATCH', `/keys/${key.id}`, { body: changes, ifMatch: etag });
    },
  );
}

/** `isMe`: the page goes on with the new secret. */
export function askToRotate({ key }, isMe) {
  const rotate = async (form) => {
    const overlapSeconds = Number(form.get('overlapSeconds'));
    const { body } = await call('POST', `/keys/${key.id}/rotate`, { body: { overlapSeconds } });
    if (isMe) replaceKey(body.key);
    return body;
  };
  open('rotate-dialog', rotate, key.name);
}

export async function askToRevoke({ key }) {
  const revoke = async (form) => {
    if (form.get('confirmation') !== key.name) throw new Error('That is not the name of the key.');
    await call('DELETE', `/keys/${key.id}`);
  };
  const count = await openOrdersOf(key.id);
  at('open-orders').textContent = `Its open orders (${count}) stay: the store delivers or cancels them.`;
  open('revoke-dialog', revoke, key.name);
}

async function openOrdersOf(keyId) {
  const lists = OPEN_STATUSES.map((status) =>
    call('GET', `/store/orders?${new URLSearchParams({ limit: COUNTED_ORDERS, keyId, status })}`),
  );
  const pages = await Promise.all(lists);
  const count = pages.reduce((sum, { body }) => sum + body.length, 0);
  return pages.some(({ nextCursor }) => nextCursor !== undefined) ? `more than ${count}` : String(count);
}

function showSecret({ name, key }) {
  at('secret').textContent = key;
  open('secret-dialog', async () => {}, name);
}

async function copySecret() {
  try {
    await navigator.clipboard.writeText(at('secret').textContent);
    at('copied').textContent = 'Copied. Clear the clipboard when it is handed over.';
  } catch {
    // Browsers offer the clipboard over HTTPS only, and may refuse it.
    document.getSelection().selectAllChildren(at('secret'));
    at('copied').textContent = 'The browser refuses. The secret is selected: press Ctrl+C or ⌘C.';
  }
}
