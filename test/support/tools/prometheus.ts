import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { start, temporaryFolder } from '../clean-up.js';
import { freePort } from '../servers/free-port.js';
import { until } from '../until.js';

/** Whether Prometheus and promtool are installed; CI installs them. */
export const hasPrometheus = ['promtool', 'prometheus'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** Runs promtool and resolves with its output. Rejects if it reports an error. */
export async function promtool(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('promtool', args);
  return stdout + stderr;
}

/** A Prometheus that scrapes one target as the job `animal-store`, once a second. */
export class Prometheus {
  private constructor(private readonly url: string) {}

  static async start(target: string, rules: string): Promise<Prometheus> {
    const folder = temporaryFolder();
    const config = join(folder, 'prometheus.yaml');
    const { host, pathname } = new URL(target);
    writeFileSync(
      config,
      stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '100ms' },
        rule_files: [rules],
        scrape_configs: [
          { job_name: 'animal-store', metrics_path: pathname, static_configs: [{ targets: [host] }] },
        ],
      }),
    );
    const port = await freePort();
    start('prometheus', [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`);
    // Two scrapes make a rate.
    const scrapes = 'count_over_time(up{job="animal-store"}[1m])';
    await until(async () => Number((await prometheus.query(scrapes).catch(() => []))[0]?.value[1]) >= 3);
    return prometheus;
  }

  /** The series of an instant query. @throws Error if Prometheus refuses the query */
  async query(expr: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> {
    return (await this.get<{ result: never[] }>(`query?query=${encodeURIComponent(expr)}`)).result;
  }

  /** Every alert with the health of its evaluation. */
  async rules(): Promise<{ name: string; health: string }[]> {
    const { groups } = await this.get<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  private async get<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${String(error)}`);
    return data;
  }
}
