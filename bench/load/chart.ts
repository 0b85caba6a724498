import { answers, type Load, type Samples } from './rounds.js';
import type { SystemName } from './systems.js';

const COLOURS: Record<SystemName, string> = {
  'fastify-baseline': '#9aa5b1',
  'nest-baseline': '#d9822b',
  'node-limit': '#718096',
  'nest-limit': '#b7791f',
  ours: '#2b6cb0',
  embedded: '#63a4d8',
  'embedded-baseline': '#d3dae1',
};
const WIDTH = 860;
const LABEL_WIDTH = 210;
const VALUE_WIDTH = 70;
const BAR_HEIGHT = 14;
const GROUP_GAP = 12;
const HEAD_HEIGHT = 40;

/** A bar chart of requests a second, grouped by load. Plain SVG, because a chart library would be larger than the chart. */
export function loadChart(samples: Samples, loads: Load[], systems: readonly SystemName[]): string {
  const groups = loads.map((load) => ({
    label: `${load.route}, ${load.connections} connections`,
    bars: systems
      .filter((system) => answers(system, load))
      .map((system) => ({ system, value: samples.median(load, system, ({ perSecond }) => perSecond) })),
  }));
  const highest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / highest;
  const shapes = systems.map((system, index) => {
    const x = LABEL_WIDTH + index * 130;
    return `<rect x="${x}" y="12" width="12" height="12" fill="${COLOURS[system]}"/>${text(x + 18, 22, system)}`;
  });
  let y = HEAD_HEIGHT;
  for (const { label, bars } of groups) {
    shapes.push(text(0, y + 11, label));
    for (const { system, value } of bars) {
      const width = Math.round(value * scale);
      shapes.push(
        `<rect x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT - 2}" fill="${COLOURS[system]}"/>` +
          text(LABEL_WIDTH + width + 6, y + 10, Math.round(value).toLocaleString('en')),
      );
      y += BAR_HEIGHT;
    }
    y += GROUP_GAP;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="12">`,
    `<title>Requests a second</title><rect width="${WIDTH}" height="${y}" fill="#fff"/>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, content: string): string {
  return `<text x="${x}" y="${y}" fill="#1f2933">${content}</text>`;
}
