import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../support/service.js';

const DISK_MB = 160;
/** One clear line that names the variable. */
const ONE_LINE = /^[^\n]*DATA_DIR[^\n]*\n$/;
const mountable = process.getuid?.() === 0 ? describe : describe.skip;

/** Files of the database and the damage to each. */
const DAMAGES: [string, (file: string) => void][] = [
  ['PG_VERSION', (file) => rmSync(file)],
  ['global/pg_control', (file) => truncateSync(file, 100)],
  ['global/pg_control', (file) => overwrite(file, 512)],
  ['global/pg_filenode.map', (file) => overwrite(file, 512)],
];

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

  /** Starts the service, creates a pet and stops the service. Returns the key and the pet's id. */
  async function filled(): Promise<{ key: string; id: bigint }> {
    const service = await Service.start(env);
    const key = await service.issueKey();
    const id = await created(service, key);
    expect(await service.stop()).toBe(0);
    return { key, id: id! };
  }

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

  async function expectRefused(line: RegExp): Promise<void> {
    const service = new Service(env);
    expect(await service.ended()).toBe(1);
    expect(service.stderr).toMatch(ONE_LINE);
    expect(service.stderr).toMatch(line);
  }

  /** The hashes of the files with rows. PostgreSQL keeps a cache beside them. */
  const fingerprints = () =>
    execFileSync('sh', ['-c', 'find base -type f ! -name pg_internal.init -exec sha1sum {} + | sort'], {
      cwd: join(env.DATA_DIR!, 'pgdata'),
      encoding: 'utf8',
    });

  it('is refused in one line and left unchanged if it is read-only or damaged', async () => {
    const { key, id } = await filled();
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    await expectRefused(/read-only/);
    execFileSync('mount', ['-o', 'remount,rw', disk]);
    for (const [name, damage] of DAMAGES) {
      const file = join(env.DATA_DIR!, 'pgdata', name);
      const copy = join(disk, 'copy');
      copyFileSync(file, copy);
      damage(file);
      const before = fingerprints();
      await expectRefused(/cannot be opened/);
      expect(fingerprints()).toEqual(before);
      copyFileSync(copy, file);
    }
    await expectServed(key, [id]);
  });

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

function overwrite(file: string, bytes: number): void {
  writeFileSync(file, Buffer.alloc(bytes, 0xff), { flag: 'r+' });
}
