/* The usage of some days as one sentence and as a chart, for /usage and /keys. */

const SHORTEST_DAYS = 7;
const LOWEST_TOP = 5;

const number = new Intl.NumberFormat('en');
const sumOf = (days, what) => days.reduce((sum, day) => sum + day[what], 0);
const isUsed = ({ admitted, refused }) => admitted + refused > 0;

export function totalsOf(days) {
  if (!days.some(isUsed)) return `No requests in these ${days.length} days.`;
  const [admitted, refused] = ['admitted', 'refused'].map((what) => number.format(sumOf(days, what)));
  return `Requests admitted: ${admitted}; refused: ${refused}.`;
}

/** Draws the days from the first one with requests, at least a week. `mark` is written below the last one. */
export function drawDays(canvas, days, mark) {
  const from = Math.min(days.findIndex(isUsed), days.length - SHORTEST_DAYS);
  const drawn = days.slice(Math.max(0, from));
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const labels = drawn.map(({ date }) => shortDate(date));
  if (mark) labels.push([labels.pop(), mark]);
  const bars = (label, what) => ({
    label,
    data: drawn.map((day) => day[what]),
    backgroundColor: colour(what),
    maxBarThickness: 48,
    stack: 'requests',
  });
  const scale = { stacked: true, grid: { color: colour('line') }, ticks: { color: colour('quiet') } };
  const data = { labels, datasets: [bars('Admitted', 'admitted'), bars('Refused', 'refused')] };
  const options = {
    animation: false,
    maintainAspectRatio: false,
    scales: {
      x: {
        ...scale,
        grid: { display: false },
        ticks: { ...scale.ticks, maxRotation: 0, autoSkipPadding: 12 },
      },
      y: { ...scale, beginAtZero: true, suggestedMax: LOWEST_TOP, ticks: { ...scale.ticks, precision: 0 } },
    },
    plugins: { legend: { labels: { color: colour('text') } } },
  };
  canvas.setAttribute('aria-label', `Requests by UTC day, ${drawn[0].date} to ${drawn.at(-1).date}`);
  const chart = window.Chart.getChart(canvas);
  if (chart) Object.assign(chart, { data, options }).update();
  else new window.Chart(canvas, { type: 'bar', data, options });
}

/** 2026-11-05 as 5 Nov. */
function shortDate(date) {
  const at = new Date(`${date}T00:00:00Z`);
  return `${at.getUTCDate()} ${at.toLocaleString('en', { month: 'short', timeZone: 'UTC' })}`;
}
