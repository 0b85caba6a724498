import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../support/service.js';

const DISK_MB = 160;
const mountable = process.getuid?.() === 0 ? describe : describe.skip;

/** Uses a small disk in memory, which requires the right to mount it. */
mountable('DATA_DIR', () => {
  let disk: string;
  let env: Record<string, string>;

  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'animal-store-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk]);
    env = { DATA_DIR: join(disk, 'data') };
  });
  afterEach(async () => {
    await Service.killAll();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  /** The id of a new pet, or undefined if it was refused. */
  async function created(service: Service, key: string, name = 'Rex'): Promise<bigint | undefined> {
    const body = { name, categoryId: 7 };
    const answer = await service.call({ method: 'POST', path: '/v1/pets', key, body });
    if (answer.status !== 201) {
      expect(answer.body).toMatchObject({ code: 'service_unavailable', status: 503n });
      expect(answer.headers['retry-after']).toBeDefined();
    }
    return answer.status === 201 ? (answer.body as { id: bigint }).id : undefined;
  }

  async function expectServed(key: string, ids: bigint[]): Promise<void> {
    const service = await Service.start(env);
    for (const id of ids)
      expect((await service.call({ path: `/v1/pets?ids=${id}`, key })).body).toMatchObject([{ id }]);
    expect(await created(service, key)).toBeDefined();
    expect(await service.stop()).toBe(0);
  }

  it('on a full disk causes 503 or an exit, and keeps every acknowledged pet', async () => {
    const service = await Service.start(env);
    const key = await service.issueKey();
    const kept: bigint[] = [];
    kept.push((await created(service, key))!);
    const ballast = join(disk, 'ballast');
    execFileSync('sh', ['-c', 'cat /dev/zero >"$0" || true', ballast], { stdio: 'ignore' });
    let refused = 0;
    let endedEarly = false;
    for (let sent = 0; sent < 20_000 && refused < 20 && !endedEarly; sent += 1) {
      try {
        const id = await created(service, key, 'x'.repeat(255));
        if (id === undefined) refused += 1;
        else kept.push(id);
      } catch (error) {
        // The connection broke, because the service ended.
        expect((error as NodeJS.ErrnoException).code).toMatch(/^ECONN/);
        endedEarly = true;
      }
    }
    expect(refused > 0 || endedEarly).toBe(true);
    if (!endedEarly) {
      expect((await service.call({ path: `/v1/pets?ids=${kept.at(-1)!}`, key })).status).toBe(200);
      rmSync(ballast);
      expect(await created(service, key)).toBeDefined();
      expect(await service.stop()).toBe(0);
    } else {
      expect(await service.ended()).toBe(1);
      rmSync(ballast);
    }
    const sample = [...kept.slice(0, 3), ...kept.slice(-3)];
    await expectServed(key, sample);
  });
});
