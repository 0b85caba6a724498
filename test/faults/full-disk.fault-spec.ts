import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { atCleanUp, cleanUp, temporaryFolder } from '../support/clean-up.js';
import { Service } from '../support/service.js';
import { atOnce, until } from '../support/until.js';
import { account, OwnPostgres } from './support/own-postgres.js';

const DISK_MB = 24;
const BLOCK = Buffer.alloc(4_096);

/** Only root mounts a disk. */
const withDisk = OwnPostgres.isInstalled && account.uid !== undefined ? describe : describe.skip;

afterEach(cleanUp);

/** A small disk for the user of PostgreSQL. */
function mountDisk(): string {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder]);
  atCleanUp(() => execFileSync('umount', ['--lazy', folder]));
  chownSync(folder, account.uid!, account.gid!);
  return folder;
}

/** Fills a disk to the last block. Returns the file that does so. */
function fill(disk: string): string {
  const file = join(disk, 'other');
  for (;;) {
    try {
      appendFileSync(file, BLOCK);
    } catch {
      return file;
    }
  }
}

withDisk('a PostgreSQL whose disk is full', () => {
  it('makes the service not ready until there is room, without a write of a caller', async () => {
    const disk = mountDisk();
    const server = await OwnPostgres.create();
    await server.query(`create tablespace small location '${disk}'`);
    await server.query('create database animals tablespace small');
    const url = Object.assign(new URL(server.url), { pathname: '/animals' }).href;
    const service = await Service.start({ DATABASE_URL: url });
    const key = await service.issueKey({ perMinute: 1_000_000, perDay: 1_000_000 });
    const ready = async () => (await service.call({ path: '/health/ready' })).status;
    expect(await ready()).toBe(200);

    const file = fill(disk);
    await until(async () => (await ready()) === 503);
    const body = { name: 'x'.repeat(255), categoryId: 1 };
    const create = async () => (await service.call({ method: 'POST', path: '/v1/pets', key, body })).status;
    // Until the pages that have room are full.
    await until(async () => (await atOnce(20, create)).includes(503));
    expect((await service.call({ path: '/v1/pets', key })).status).toBe(200);
    expect(service.logged('the disk of the database is full')).toHaveLength(1);

    rmSync(file);
    await until(async () => (await ready()) === 200);
    expect(await create()).toBe(201);
    expect(service.logged('internal_error')).toEqual([]);
  });
});
