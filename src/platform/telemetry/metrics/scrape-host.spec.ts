import { expect, it } from '@jest/globals';
import { isForeignHost } from './scrape-host.js';

const METRICS_HOST = 'app1.example.com';

it.each([
  undefined,
  '127.0.0.1:9464',
  '10.42.0.7:9464',
  '[::1]:9464',
  '[2001:db8::1]',
  'localhost:9464',
  'a.localhost',
  'service:9464',
  'animal-store.shop.svc:9464',
  'animal-store.shop.svc.cluster.local:9464',
  'ip-10-0-0-7.ec2.internal:9464',
  'APP1.example.com:9464',
  'app1.example.com.',
])('a scraper is served: Host %s', (host) => expect(isForeignHost(host, METRICS_HOST)).toBe(false));

it.each([
  'evil.example',
  'evil.example:9464',
  'localhost.evil.example',
  'app1.example.com.evil.example',
  '127.0.0.1.evil.example:9464',
  'svc.evil.example',
  '',
])('a page of a foreign name is not: Host "%s"', (host) =>
  expect(isForeignHost(host, METRICS_HOST)).toBe(true),
);
