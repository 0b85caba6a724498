import { describe, expect, it } from '@jest/globals';
import { embedded } from '../../support/databases.js';
import { metricsUrl } from '../../support/http/metrics.js';
import { ownService } from '../../support/service.js';
import { parseStrictly, read, ROOT } from '../../support/tools/deployment.js';
import { hasPrometheus, Prometheus, promtool } from '../../support/tools/prometheus.js';
import { until } from '../../support/until.js';

// Reported as skipped where there is no Prometheus.
const inPrometheus = hasPrometheus ? it : it.skip;

interface Panel {
  type: string;
  title: string;
  datasource?: { uid: string };
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[];
}
interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string; query: string | { query: string } }[] };
}
interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook_url: string };
}

const { panels, templating } = JSON.parse(read('deploy/grafana/dashboards/animal-store.json')) as Dashboard;
const ALERTS = `${ROOT}deploy/prometheus/alerts.yaml`;
const { groups } = parseStrictly(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** The values of the variables of the dashboard. */
const CHOSEN: Record<string, string> = {
  job: 'animal-store',
  instance: '.*',
  route: '.*',
  __rate_interval: '5m',
};
/** A query with these values. A status has a series only after a response with it, so that no status is selected. */
const filled = (query: string) =>
  query.replaceAll(/\$(\w+)/g, (_, name: string) => CHOSEN[name]!).replaceAll(/, status=~?"[^"]*"/g, '');

describe('the dashboard and the alerts', () => {
  const service = ownService(embedded, { METRICS_PORT: '0' });

  inPrometheus('query what a Prometheus finds in the service, with the labels that they show', async () => {
    const key = await service.issueKey();
    for (const path of ['/v1/pets', '/v1/pets/1', '/health/ready']) await service.call({ path, key });
    const prometheus = await Prometheus.start(metricsUrl(service), ALERTS);
    const expectFound = async (query: string, labels: string[]) => {
      const [first] = await prometheus.query(query);
      expect({ query, found: Object.keys(first?.metric ?? {}), isFound: first !== undefined }).toEqual({
        query,
        found: expect.arrayContaining(labels),
        isFound: true,
      });
    };
    for (const { expr, legendFormat } of panels.flatMap(({ targets = [] }) => targets))
      await expectFound(
        filled(expr),
        Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label]) => label!),
      );
    for (const { query } of templating.list) {
      if (typeof query === 'string') continue;
      const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(query.query)!;
      await expectFound(filled(selector!), [label!]);
    }
    // A comparison selects nothing while all is well. promtool tests the labels of alerts.
    for (const { expr } of rules)
      for (const [selector] of expr.matchAll(/\w+\{[^}]*\}/g)) {
        expect(selector).toContain('job="animal-store"');
        await expectFound(filled(selector), []);
      }
    await until(async () => (await prometheus.rules()).every(({ health }) => health !== 'unknown'));
    expect((await prometheus.rules()).filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});

it('Prometheus in compose.yaml finds every replica of the service, as one name has all their addresses', () => {
  const { scrape_configs } = parseStrictly(read('deploy/prometheus/prometheus.yaml')) as {
    scrape_configs: { dns_sd_configs: { names: string[]; type: string; port: number }[] }[];
  };
  const { services } = parseStrictly(read('compose.yaml')) as {
    services: { service: { environment: Record<string, string> } };
  };
  const port = Number(services.service.environment.METRICS_PORT);
  expect(scrape_configs).toEqual([
    {
      job_name: 'animal-store',
      dns_sd_configs: [{ names: ['service'], type: 'A', port, refresh_interval: '5s' }],
    },
  ]);
});

describe('the alerts', () => {
  it('are exactly those in the runbook, to which they link', () => {
    const [, runbook = ''] = read('docs/runbook.md').split('\n## Alerts\n');
    const sections = runbook.split('\n## ')[0]!.matchAll(/^### (.+)\n\n\S/gm);
    expect(Array.from(sections, ([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`{{ $externalLabels.runbook }}#${alert.toLowerCase()}`);
  });

  inPrometheus('pass the checks and tests of promtool', async () => {
    expect(await promtool('check', 'config', `${ROOT}deploy/prometheus/prometheus.yaml`)).toContain(
      `${rules.length} rules found`,
    );
    expect(await promtool('test', 'rules', `${ROOT}deploy/prometheus/alerts.test.yaml`)).toContain('SUCCESS');
    const tested = read('deploy/prometheus/alerts.test.yaml');
    for (const { alert } of rules)
      expect(tested).toMatch(new RegExp(`alertname: ${alert}\n +eval_time: \\w+\n +exp_alerts:\n`));
  });

  it('are the same for the Prometheus Operator', () => {
    const rule = parseStrictly(read('deploy/kubernetes/monitoring/prometheus-rule.yaml'));
    expect(rule).toMatchObject({ kind: 'PrometheusRule', spec: { groups } });
  });
});
