/* The page behind /usage: what a key may still do, and what it did on the last 30 days. */

const KEY_ITEM = 'animal-store.usage.key';
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
/** The server's clock less this browser's: a window must not seem to end early or late. */
let clockAheadMs = 0;
let daysReadAtMs = 0;
let chart;

/** Raises an Error with what to tell whoever pasted the key. */
async function read(path, asking) {
  let answer;
  try {
    answer = await fetch(`/v1${path}`, { headers: { Authorization: `Bearer ${asking}` }, cache: 'no-store' });
  } catch {
    throw new Error('The server cannot be reached. Trying again.');
  }
  clockAheadMs = Date.parse(answer.headers.get('Date') ?? '') - Date.now() || 0;
  const body = await answer.json();
  if (answer.ok) return body;
  throw Object.assign(new Error(body.message), { isUnknownKey: answer.status === 401 });
}

async function refresh() {
  if (key === null || document.hidden) return;
  // An answer that comes when the key has been forgotten, or another pasted, is nobody's any more.
  const asking = key;
  try {
    const limits = await read('/rate-limit', asking);
    if (key !== asking) return;
    ({ windows, bannedUntil } = limits);
    showPlan(limits.plan);
    at('shown').hidden = false;
    at('forget').hidden = false;
    at('status').textContent = '';
    // With nothing left, asking for the days would be one more refusal, and refusals can lead to a ban.
    const mayAsk = bannedUntil === null && windows.every(({ remaining }) => remaining > 0);
    if (mayAsk && Date.now() - daysReadAtMs >= DAYS_EVERY_MS) {
      daysReadAtMs = Date.now();
      const read30 = await read(`/usage?days=${DAYS}`, asking);
      if (key !== asking) return;
      days = read30;
    }
    showWindows();
    showDays();
  } catch (problem) {
    if (key !== asking) return;
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
    // Past its end a window is whole again, whatever was last heard of it.
    const left = nowS >= resetAt ? limit : remaining;
    const card = at('window').content.firstElementChild.cloneNode(true);
    card.querySelector('h3').textContent = name;
    card.querySelector('.left').textContent = `${number.format(left)} of ${number.format(limit)} left`;
    card.querySelector('.note').textContent = `Starts anew in ${duration(Math.max(0, resetAt - nowS))}`;
    const bar = card.querySelector('.bar');
    bar.classList.toggle('exhausted', left === 0);
    bar.setAttribute('aria-label', `Left in this ${name}`);
    bar.setAttribute('aria-valuemax', limit);
    bar.setAttribute('aria-valuenow', left);
    bar.firstElementChild.style.width = `${(100 * left) / limit}%`;
    return card;
  });
  at('windows').replaceChildren(...cards);
  const banEnds = bannedUntil === null ? 0 : Date.parse(bannedUntil) / 1000 - nowS;
  at('ban').hidden = banEnds <= 0;
  const end = new Date(bannedUntil ?? 0).toLocaleTimeString();
  const note = `This key is banned until ${end}: it went on calling far above its limit.`;
  if (banEnds > 0 && at('ban').textContent !== note) at('ban').textContent = note;
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
