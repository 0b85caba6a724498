import { beforeAll, expect, it } from '@jest/globals';
import { connectTo, describeOnServer, type TestDatabase } from '../../support/databases.js';
import { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { Service } from '../../support/service.js';
import { atOnce, until } from '../../support/until.js';
import { animalModel } from './animal-model.js';
import { falsified } from './falsified.js';
import { isLinearizable } from './linearizability.js';
import { Recorder } from './recorder.js';

/** How long histories are recorded: a minute in the gate, longer by hand. */
const RECORD_MS = 1_000 * Number(process.env.HISTORIES_SECONDS ?? 60);
const REPLICAS = 3;
const HISTORIES_AT_ONCE = 3;
/** Wrong copies of one history that the checker must refuse. */
const FALSIFIED_A_HISTORY = 3;
const FAULT_EVERY_MS = 400;

const END_BACKENDS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

describeOnServer('histories of one animal and its orders', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let replicas: Service[];
  let key: string;

  const env = () => ({ ...database.env, DATABASE_URL: proxy.url });
  const urls = () => replicas.map(({ url }) => url);

  beforeAll(async () => {
    database = await kind.create();
    proxy = await TcpProxy.before(database.env.DATABASE_URL!);
    replicas = await atOnce(REPLICAS, () => Service.start(env()));
    key = await replicas[0]!.issueKey();
  });

  it('are linearizable under kills, ended backends and stalls', async () => {
    const endsAtMs = performance.now() + RECORD_MS;
    const isOver = () => performance.now() > endsAtMs;
    const recorders: Recorder[] = [];
    const recording = atOnce(HISTORIES_AT_ONCE, async () => {
      while (!isOver()) {
        const recorder = await Recorder.start(urls, key);
        if (!recorder) continue;
        await recorder.record();
        recorders.push(recorder);
      }
    });
    await injectFaults(isOver);
    await recording;

    let unknown = 0;
    for (const recorder of recorders) {
      await recorder.recordEnd();
      const { history } = recorder;
      const model = animalModel(recorder.animal);
      unknown += history.filter(({ result }) => result === undefined).length;
      if (!isLinearizable(model, history)) expect(history).toBe('linearizable');
      for (const wrong of falsified(history).slice(0, FALSIFIED_A_HISTORY))
        expect(isLinearizable(model, wrong)).toBe(false);
    }
    process.stdout.write(`${recorders.length} histories, ${unknown} unknown outcomes\n`);
    expect(recorders.length).toBeGreaterThan(HISTORIES_AT_ONCE);
    expect(unknown).toBeGreaterThan(0);
  });

  /** One fault after another. Each has ended when this resolves. */
  async function injectFaults(isOver: () => boolean): Promise<void> {
    const session = await connectTo(database);
    const faults = [
      // The others go on meanwhile.
      async () => {
        await replicas.shift()!.stop('SIGKILL');
        replicas.push(await Service.start(env()));
      },
      () => session.query(END_BACKENDS),
      async () => {
        proxy.holdAnswers();
        await passed(FAULT_EVERY_MS);
        proxy.thaw();
      },
      async () => {
        proxy.holdAnswers();
        await passed(FAULT_EVERY_MS / 4);
        proxy.cut();
        proxy.restore();
      },
    ];
    for (let n = 0; !isOver(); n += 1) {
      await passed(FAULT_EVERY_MS);
      await faults[n % faults.length]!();
    }
    await session.end();
  }
});

/** Requests go on during a fault and between two of them. */
function passed(durationMs: number): Promise<true> {
  const fromMs = performance.now();
  return until(() => performance.now() - fromMs >= durationMs);
}
