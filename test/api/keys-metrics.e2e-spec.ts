import { expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { scrape, seriesOf, valueOf } from '../support/http/metrics.js';
import { issueKeys } from '../support/keys.js';
import { ownService } from '../support/service.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;

const service = ownService(anyKind, { METRICS_PORT: '0' });

it('the metrics count the keys in use that expire within 14 days, and name the plans of refused keys', async () => {
  await issueKeys(service, 2, { expiresInMs: 13 * DAY_MS });
  await issueKeys(service, 1, { expiresInMs: 13 * DAY_MS, revoked: true });
  await issueKeys(service, 1, { expiresInMs: -DAY_MS });
  await issueKeys(service, 1, { expiresInMs: 15 * DAY_MS });
  const text = await until(async () => {
    const scraped = await scrape(service);
    return (valueOf(scraped, 'api_keys_expiring') ?? 0) > 0 && scraped;
  });
  expect(valueOf(text, 'api_keys_expiring')).toBe(2);
  expect(seriesOf(text, 'rate_limit_refused_keys')).toEqual(
    ['free', 'pro', 'business', 'enterprise'].map((plan) => `rate_limit_refused_keys{plan="${plan}"}`),
  );
});
