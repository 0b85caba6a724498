import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { embedded } from '../../support/databases.js';
import { scrape } from '../../support/http/metrics.js';
import { ownService } from '../../support/service.js';

const FOLDER = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const service = ownService(embedded, { METRICS_PORT: '0' });

it.each(['grafana/dashboards/animal-store.json', 'prometheus/alerts.yaml'])(
  '%s queries metrics that the service has',
  async (file) => {
    const key = await service.issueKey();
    for (const path of ['/v1/pets', '/v1/pets/1', '/health/ready']) await service.call({ path, key });
    const served = new Set((await scrape(service)).match(/^\w+/gm));
    const queried = Array.from(readFileSync(FOLDER + file, 'utf8').matchAll(/(\w+)\{/g), ([, name]) => name!);
    // A target that is away has no metric but this one, which Prometheus adds.
    const unknown = queried.filter((name) => !served.has(name) && name !== 'up');
    expect(queried.length).toBeGreaterThan(5);
    expect(unknown).toEqual([]);
  },
);

const PROMTOOL = 'promtool';

// Reported as skipped where there is no Prometheus; CI installs it.
(spawnSync(PROMTOOL, ['--version']).status === 0 ? it : it.skip)(
  'the alerts pass the checks and tests of promtool',
  async () => {
    const promtool = async (...args: string[]) => (await promisify(execFile)(PROMTOOL, args)).stdout;
    expect(await promtool('check', 'config', `${FOLDER}prometheus/prometheus.yaml`)).toContain('rules found');
    expect(await promtool('test', 'rules', `${FOLDER}prometheus/alerts.test.yaml`)).toContain('SUCCESS');
  },
);
