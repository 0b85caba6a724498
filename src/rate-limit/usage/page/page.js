/* The page of /usage: what a key may still do, and what it did in the last 30 days. */

const KEY_ITEM = 'animal-store.key';
const WINDOWS_EVERY_MS = 2_000;
const DAYS_EVERY_MS = 60_000;
const DAYS = 30;

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
let chart;

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
    showPlan(limits.plan);
    at('shown').hidden = false;
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
  const total = (what) => number.format(days.reduce((sum, day) => sum + day[what], 0));
  at('totals').textContent = `Requests admitted: ${total('admitted')}; refused: ${total('refused')}.`;
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

function drawChart() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const today = days.at(-1).date;
  const labels = days.map(({ date }) =>
    date === today && bannedUntil !== null ? [date.slice(5), 'ban'] : date.slice(5),
  );
  const bars = (label, what) => ({
    label,
    data: days.map((day) => day[what]),
    backgroundColor: colour(what),
    stack: 'requests',
  });
  const scale = { stacked: true, grid: { color: colour('line') }, ticks: { color: colour('quiet') } };
  const data = { labels, datasets: [bars('Admitted', 'admitted'), bars('Refused', 'refused')] };
  const options = {
    animation: false,
    maintainAspectRatio: false,
    scales: {
      x: { ...scale, grid: { display: false } },
      y: { ...scale, beginAtZero: true, ticks: { ...scale.ticks, precision: 0 } },
    },
    plugins: { legend: { labels: { color: colour('text') } } },
  };
  at('chart').setAttribute('aria-label', `Requests by UTC day, ${days[0].date} to ${today}`);
  if (chart) Object.assign(chart, { data, options }).update();
  else chart = new window.Chart(at('chart'), { type: 'bar', data, options });
}

function forget() {
  key = null;
  windows = [];
  bannedUntil = null;
  days = [];
  daysReadAtMs = 0;
  sessionStorage.removeItem(KEY_ITEM);
  at('shown').hidden = true;
  at('forget').hidden = true;
  at('ban').hidden = true;
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
