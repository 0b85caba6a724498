import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { call } from '../../support/http/client.js';
import { embedded, type TestDatabase } from '../../support/databases.js';
import { parseStrictly } from '../../support/tools/manifests.js';
import { metricsUrl, scrape } from '../../support/http/metrics.js';
import { hasPrometheus, Prometheus, promtool } from '../../support/tools/prometheus.js';
import { groupingOf, usesOf } from '../../support/tools/promql.js';
import { cleanUp, Service } from '../../support/service.js';
import { until } from '../../support/until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

// Reported as skipped where there is no Prometheus.
const inPrometheus = hasPrometheus ? it : it.skip;

interface Target {
  refId: string;
  expr: string;
  legendFormat: string;
}
interface Panel {
  id: number;
  type: string;
  title: string;
  datasource?: { type: string; uid: string };
  targets?: (Target & { datasource: { uid: string } })[];
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
}
interface Variable {
  name: string;
  type: string;
  query: string | { query: string };
}
interface Dashboard {
  uid: string;
  panels: Panel[];
  templating: { list: Variable[] };
}
interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const dashboard = JSON.parse(read('deploy/grafana/dashboards/animal-store.json')) as Dashboard;
const rules = (
  parseStrictly(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map((target) => ({ title, ...target })),
);
const variables = dashboard.templating.list;

/** The labels and metrics that Prometheus itself adds for every target. */
const TARGET_LABELS = ['job', 'instance'];
const OWN_METRICS = ['up'];

describe('the dashboard and the alerts', () => {
  let database: TestDatabase;
  let service: Service;
  /** Every metric of the service, with the values of each label. */
  const exposed = new Map<string, Map<string, Set<string>>>();

  beforeAll(async () => {
    database = await embedded.create();
    service = await Service.start({ ...database.env, METRICS_PORT: '0' });
    const key = await service.issueKey();
    for (const path of ['/v1/pets', '/v1/pets/1', '/health/ready']) await call(service.url, { path, key });
    readMetrics(await scrape(service));
  });
  afterAll(cleanUp);

  function readMetrics(text: string): void {
    for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? \S+$/gm)) {
      const seen = exposed.get(name) ?? new Map<string, Set<string>>();
      exposed.set(name, seen);
      for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
        seen.set(label, (seen.get(label) ?? new Set()).add(value));
    }
  }

  /** The metrics, labels and values in a query that the service does not expose. */
  function missingIn(query: string): string[] {
    const uses = usesOf(readable(query));
    if (uses.length === 0) return ['no metric with a selector'];
    return uses.flatMap(({ metric, labels, equal }) => {
      const known = OWN_METRICS.includes(metric) ? new Map<string, Set<string>>() : exposed.get(metric);
      if (!known) return [`no metric ${metric}`];
      const foreign = labels.filter((label) => !TARGET_LABELS.includes(label) && !known.has(label));
      // A status has a series only after a response with it. Any other value must exist.
      const absent = Object.entries(equal).filter(
        ([label, value]) => label !== 'status' && known.get(label)?.has(value) === false,
      );
      return [
        ...foreign.map((label) => `${metric} has no label ${label}`),
        ...absent.map(([label, value]) => `${metric} has no ${label} ${value}`),
      ];
    });
  }

  it.each(queries)('query exposed metrics: panel "$title", $refId', ({ expr, legendFormat }) => {
    expect(missingIn(expr)).toEqual([]);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    const left = groupingOf(readable(expr));
    expect(left.length > 0 ? left : TARGET_LABELS).toEqual(expect.arrayContaining(shown));
  });

  inPrometheus('work in a Prometheus that scrapes the service', async () => {
    const prometheus = await Prometheus.start(metricsUrl(service), `${ROOT}deploy/prometheus/alerts.yaml`);
    try {
      const chosen = { job: 'animal-store', instance: '.*', route: '.*', plan: '.*' };
      const empty: string[] = [];
      for (const { title, expr } of queries) {
        const filled = readable(expr).replace(/\$(\w+)/g, (_, name: keyof typeof chosen) => chosen[name]);
        if ((await prometheus.query(filled)).length === 0) empty.push(title);
      }
      // Nothing failed.
      expect(empty).toEqual(['Error share by route']);
      await until(async () => (await prometheus.rules()).every(({ health }) => health !== 'unknown'));
      expect((await prometheus.rules()).filter(({ health }) => health !== 'ok')).toEqual([]);
    } finally {
      await prometheus.close();
    }
  });

  it('have variables with exposed labels', () => {
    const offered = variables.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
    expect(offered).toHaveLength(variables.length - 1);
    for (const query of offered) {
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
      const metric = selector.includes('{') ? selector : `${selector}{}`;
      expect(missingIn(`sum by (${label}) (${metric})`)).toEqual([]);
    }
  });

  it.each(rules)('query exposed metrics: alert $alert', ({ expr, annotations }) => {
    expect(missingIn(expr)).toEqual([]);
    const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const left = groupingOf(expr);
    expect(left.length > 0 ? left : TARGET_LABELS).toEqual(expect.arrayContaining(shown));
  });

  it('are checked for misspelt metrics, labels and values', () => {
    expect(missingIn('sum by (rout) (rate(http_requests_total{job="x"}[5m]))')).toEqual([
      'http_requests_total has no label rout',
    ]);
    expect(missingIn('http_request_total{job="x"} > 0')).toEqual(['no metric http_request_total']);
    expect(missingIn('http_requests_total{route="/v1/pet"}')).toEqual([
      'http_requests_total has no route /v1/pet',
    ]);
    expect(missingIn('http_requests_total{paln!="x"}')).toEqual(['http_requests_total has no label paln']);
    expect(missingIn('rate(http_request_total[5m])')).toEqual(['no metric with a selector']);
  });
});

describe('the dashboard', () => {
  it('queries the selected Prometheus in every panel', () => {
    expect(variables.find(({ type }) => type === 'datasource')).toMatchObject({
      name: 'datasource',
      query: 'prometheus',
    });
    const queryPanels = dashboard.panels.filter(({ type }) => type !== 'row');
    const sources = queryPanels.flatMap(({ datasource, targets = [] }) => [
      datasource?.uid,
      ...targets.map((target) => target.datasource.uid),
    ]);
    expect(new Set(sources)).toEqual(new Set(['${datasource}']));
    for (const { title, targets } of queryPanels) expect([title, targets?.length]).not.toEqual([title, 0]);
  });

  it('defines exactly the variables that it uses', () => {
    const known = new Set(variables.map(({ name }) => name));
    const texts = [
      ...queries.map(({ expr }) => expr),
      ...variables.map(({ query }) => JSON.stringify(query)),
    ];
    const used = texts.flatMap((text) => [...text.matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name));
    expect(used.filter((name) => !name.startsWith('__') && !known.has(name))).toEqual([]);
    expect(new Set(used)).toEqual(
      new Set([...known, '__rate_interval'].filter((name) => name !== 'datasource')),
    );
  });

  it('has panels with unique ids that do not overlap', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.every((cell) => Number(cell.split(',')[0]) < 24)).toBe(true);
  });
});

describe('the alerts', () => {
  const page = read('docs/runbook.md');
  const runbook = page.slice(page.indexOf('\n## Alerts\n'));
  const sections = [
    ...runbook
      .slice(1)
      .split('\n## ')[0]!
      .matchAll(/^### (.+)\n\n\S/gm),
  ].map(([, name]) => name);

  it.each(rules)('have a duration, severity, summary and runbook link: $alert', (rule) => {
    expect(rule.for).toMatch(/^\d+m$/);
    expect(['critical', 'warning', 'info']).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$/);
    expect(rule.annotations.runbook_url).toBe(`{{ $externalLabels.runbook }}#${rule.alert.toLowerCase()}`);
  });

  it('are exactly those in the runbook', () => {
    expect(sections).toEqual(rules.map(({ alert }) => alert));
  });

  it('have unique names and one job', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { expr } of rules)
      for (const { equal } of usesOf(expr)) expect(equal).toMatchObject({ job: 'animal-store' });
  });

  inPrometheus('pass the checks and tests of promtool', async () => {
    expect(await promtool('check', 'config', `${ROOT}deploy/prometheus/prometheus.yaml`)).toContain(
      `${rules.length} rules found`,
    );
    expect(await promtool('test', 'rules', `${ROOT}deploy/prometheus/alerts.test.yaml`)).toContain('SUCCESS');
    const tested = read('deploy/prometheus/alerts.test.yaml');
    for (const { alert } of rules) expect(tested).toContain(`alertname: ${alert}\n`);
  });

  it('take the URL of the runbook from one setting of Prometheus', () => {
    const { global } = parseStrictly(read('deploy/prometheus/prometheus.yaml')) as {
      global: { external_labels: { runbook: string } };
    };
    expect(global.external_labels.runbook).toMatch(/^https:\/\/\S+\/docs\/runbook\.md$/);
  });

  it('use the memory limit of a pod', () => {
    const limit = /limits: \{ memory: (\d+)Mi \}/.exec(read('deploy/kubernetes/deployment.yaml'))?.[1];
    expect(rules.find(({ alert }) => alert === 'AnimalStoreMemory')?.expr).toContain(
      `${String(limit)} * 1024 * 1024`,
    );
  });
});

/** With a duration in place of Grafana's own. */
function readable(query: string): string {
  return query.replaceAll('$__rate_interval', '5m');
}
