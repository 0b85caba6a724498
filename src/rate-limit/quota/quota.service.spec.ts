import { beforeEach, describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { getRepositoryToken } from '@nestjs/typeorm';
import { BackgroundTasks } from '../../platform/common/background-tasks.js';
import { Clock, DAY_MS } from '../../platform/common/time.js';
import { CONFIG } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { QuotaMarkEntity } from './quota-mark.entity.js';
import { QuotaService } from './quota.service.js';

const RESET_AT_MS = Date.UTC(2026, 10, 21);
const KEY = '0b6f8f0e-8c0c-4c55-9f0b-1d5a3f1e2a34';

/** A repository that keeps what is inserted, and fails as often as the test wants. */
class FakeMarks {
  inserted: QuotaMarkEntity[] = [];
  failures = 0;

  createQueryBuilder() {
    let batch: QuotaMarkEntity[] = [];
    const builder = {
      insert: () => builder,
      values: (rows: QuotaMarkEntity[]) => {
        batch = rows;
        return builder;
      },
      orIgnore: () => builder,
      execute: () => {
        if (this.failures-- > 0) return Promise.reject(new Error('the database is away'));
        this.inserted.push(...batch);
        return Promise.resolve();
      },
    };
    return builder;
  }
}

describe('QuotaService', () => {
  let quota: QuotaService;
  let marks: FakeMarks;

  beforeEach(async () => {
    marks = new FakeMarks();
    const module = await Test.createTestingModule({
      providers: [
        QuotaService,
        BackgroundTasks,
        Clock,
        { provide: Database, useValue: {} },
        { provide: CONFIG, useValue: { usageRetentionDays: 400 } },
        { provide: getRepositoryToken(QuotaMarkEntity), useValue: marks },
      ],
    }).compile();
    quota = module.get(QuotaService);
  });

  const use = (used: number, limit = 1_000, resetAtMs = RESET_AT_MS) =>
    quota.note(KEY, { name: 'day', limit, used, remaining: Math.max(0, limit - used), resetAtMs });
  const written = async () => {
    await quota.onApplicationShutdown();
    return marks.inserted.map(({ day, percent, used }) => [day, percent, used]);
  };

  it('notes 80 and 100 % of a day once each', async () => {
    for (const used of [1, 799, 800, 801, 999, 1_000, 1_000]) use(used);

    expect(await written()).toEqual([
      ['2026-11-20', 80, 800],
      ['2026-11-20', 100, 1_000],
    ]);
  });

  it('notes both where one request uses up a small limit', async () => {
    use(1, 1);

    expect(await written()).toEqual([
      ['2026-11-20', 80, 1],
      ['2026-11-20', 100, 1],
    ]);
  });

  it('notes the next day again', async () => {
    use(800);
    use(800, 1_000, RESET_AT_MS + DAY_MS);

    expect((await written()).map(([day]) => day)).toEqual(['2026-11-20', '2026-11-21']);
  });

  it('keeps what could not be written', async () => {
    use(800);
    marks.failures = 1;

    expect(await written()).toEqual([]);
    expect(await written()).toEqual([['2026-11-20', 80, 800]]);
  });
});
