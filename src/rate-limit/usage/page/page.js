/* The page of /usage: whose a key is, what it may still do, and what it did in the last 30 days. */

import { drawDays, totalsOf } from './days.js';

const KEY_ITEM = 'animal-store.key';
const WINDOWS_EVERY_MS = 2_000;
const DAYS_EVERY_MS = 60_000;
const DAYS = 30;
const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;
const MAY = {
  read: 'It reads the catalogue.',
  order: 'It reads the catalogue and places orders.',
  manage: 'It manages the catalogue and all orders.',
  admin: 'It manages the catalogue, all orders and all keys.',
};

const at = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');

/** @type {string | null} */
let key = sessionStorage.getItem(KEY_ITEM);
let windows = [];
let days = [];
let bannedUntil = null;
/** How far the server's clock is ahead of the browser's, so that a window does not seem to end early or late. */
let clockAheadMs = 0;
let daysReadAtMs = 0;

/** Reads a JSON response. @throws Error with a message for the user of the page */
async function read(path, usedKey) {
  let response;
  try {
    response = await fetch(`v1${path}`, {
      headers: { Authorization: `Bearer ${usedKey}` },
      cache: 'no-store',
    });
  } catch {
    throw new Error('The server cannot be reached. Trying again.');
  }
  clockAheadMs = Date.parse(response.headers.get('Date') ?? '') - Date.now() || 0;
  const body = await response.json();
  if (response.ok) return body;
  throw Object.assign(new Error(body.message), { isUnknownKey: response.status === 401 });
}

async function refresh() {
  if (key === null || document.hidden) return;
  // A response is ignored when the key was forgotten or replaced meanwhile.
  const usedKey = key;
  try {
    const limits = await read('/rate-limit', usedKey);
    if (key !== usedKey) return;
    ({ windows, bannedUntil } = limits);
    showKey(limits.key);
    showPlan(limits.plan);
    at('shown').hidden = false;
    at('intro').hidden = true;
    at('forget').hidden = false;
    at('status').textContent = '';
    // Without a request left, reading the days would be refused, and refusals can lead to a ban.
    const mayReadDays = bannedUntil === null && windows.every(({ remaining }) => remaining > 0);
    if (mayReadDays && Date.now() - daysReadAtMs >= DAYS_EVERY_MS) {
      daysReadAtMs = Date.now();
      const lastDays = await read(`/usage?days=${DAYS}`, usedKey);
      if (key !== usedKey) return;
      days = lastDays;
    }
    showWindows();
    showDays();
  } catch (problem) {
    if (key !== usedKey) return;
    if (problem.isUnknownKey) forget();
    at('status').textContent = problem.message;
  }
}

function showKey({ name, prefix, access, expiresAt }) {
  at('name').textContent = name;
  at('prefix').textContent = `${prefix}…`;
  at('access').textContent = `Access: ${access}. ${MAY[access] ?? ''}`;
  const end = expiresAt === null ? '' : `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  at('end').textContent = expiresAt === null ? 'It does not expire.' : `It expires on ${end}.`;
  const days = expiresAt === null ? Infinity : (Date.parse(expiresAt) - Date.now() - clockAheadMs) / DAY_MS;
  at('expiry').hidden = days >= NOTICE_DAYS;
  const soon = days < 1 ? 'within a day' : days < 2 ? 'in 1 day' : `in ${Math.floor(days)} days`;
  const note = `This key expires ${soon}, on ${end}. Whoever issued it can give it a later end.`;
  if (days < NOTICE_DAYS && at('expiry').textContent !== note) at('expiry').textContent = note;
}

function showPlan(plan) {
  const allows = windows.map(({ name, limit }) => `${number.format(limit)} requests a ${name}`).join(' and ');
  at('plan').textContent = `The ${plan} plan allows ${allows}.`;
}

function showWindows() {
  const nowS = (Date.now() + clockAheadMs) / 1000;
  const cards = windows.map(({ name, limit, remaining, resetAt }) => {
    // A window that has ended is full again, whatever the last response showed.
    const left = nowS >= resetAt ? limit : remaining;
    const card = at('window').content.firstElementChild.cloneNode(true);
    card.querySelector('h3').textContent = name;
    card.querySelector('.left').textContent = `${number.format(left)} of ${number.format(limit)} left`;
    card.querySelector('.note').textContent = `Resets in ${duration(Math.max(0, resetAt - nowS))}`;
    const bar = card.querySelector('.bar');
    bar.classList.toggle('exhausted', left === 0);
    bar.setAttribute('aria-label', `Left in this ${name}`);
    bar.setAttribute('aria-valuemax', limit);
    bar.setAttribute('aria-valuenow', left);
    bar.firstElementChild.style.width = `${(100 * left) / limit}%`;
    return card;
  });
  at('windows').replaceChildren(...cards);
  const banRemainingSeconds = bannedUntil === null ? 0 : Date.parse(bannedUntil) / 1000 - nowS;
  at('ban').hidden = banRemainingSeconds <= 0;
  const end = new Date(bannedUntil ?? 0).toLocaleTimeString();
  const note = `This key is banned until ${end}: it continued to call far above its limit.`;
  if (banRemainingSeconds > 0 && at('ban').textContent !== note) at('ban').textContent = note;
}

function duration(seconds) {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function showDays() {
  at('days-read').hidden = days.length === 0;
  if (days.length === 0) {
    at('totals').textContent = 'The days can be read once a request is left.';
    return;
  }
  at('totals').textContent = totalsOf(days);
  at('days').replaceChildren(...days.map(dayRow).reverse());
  drawChart();
}

function dayRow({ date, admitted, refused }) {
  const row = document.createElement('tr');
  for (const text of [date, number.format(admitted), number.format(refused)]) {
    row.append(Object.assign(document.createElement('td'), { textContent: text }));
  }
  return row;
}

/** Nothing is drawn of a key that was never used: it would be an empty frame. */
function drawChart() {
  const isUsed = days.some(({ admitted, refused }) => admitted + refused > 0);
  at('chart').parentElement.hidden = !isUsed;
  if (isUsed) drawDays(at('chart'), days, bannedUntil === null ? undefined : 'ban');
}

function forget() {
  key = null;
  windows = [];
  bannedUntil = null;
  days = [];
  daysReadAtMs = 0;
  sessionStorage.removeItem(KEY_ITEM);
  at('shown').hidden = true;
  at('intro').hidden = false;
  at('forget').hidden = true;
  at('ban').hidden = true;
  at('expiry').hidden = true;
  at('key').value = '';
}

at('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const pasted = at('key').value.trim();
  forget();
  key = pasted;
  sessionStorage.setItem(KEY_ITEM, key);
  at('status').textContent = 'Reading…';
  void refresh();
});
at('forget').addEventListener('click', () => {
  forget();
  at('status').textContent = 'The key is forgotten.';
  at('key').focus();
});
document.addEventListener('visibilitychange', () => void refresh());
window
  .matchMedia('(prefers-color-scheme: dark)')
  .addEventListener('change', () => days.length > 0 && drawChart());
setInterval(() => void refresh(), WINDOWS_EVERY_MS);
setInterval(() => windows.length > 0 && key !== null && showWindows(), 250);
void refresh();
