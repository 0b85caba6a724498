import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { embedded } from '../support/databases.js';
import { cleanUp, Service } from '../support/service.js';
import { freePort } from '../support/servers/free-port.js';
import { untilMinuteHasRoom } from '../support/until.js';
import { hasBrowser, launchBrowser } from '../support/tools/browser.js';

// Reported as skipped where there is no browser.
const inBrowser = hasBrowser ? describe : describe.skip;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = `<!doctype html><script type="importmap">{"imports": {
  "animal-store-client": "/packages/client/dist/index.js",
  "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"
}}</script>`;

inBrowser('the client in a browser', () => {
  let service: Service;
  let pages: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    // One place for the page: what a bundler or a file server gives.
    pages = createServer(({ url = '/' }, response) => {
      const isScript = /\.m?js$/.test(url);
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? readFileSync(`${ROOT}${url.slice(1)}`) : PAGE);
    }).listen(port, '127.0.0.1');
    await once(pages, 'listening');
    service = await Service.start({ ...(await embedded.create()).env, CORS_ORIGINS: origin });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    pages.close();
    await cleanUp();
  });

  /** Runs statements that have `client`, and returns what they return. */
  async function inPage<Result>(at: string, key: string, statements: string): Promise<Result> {
    const page: Page = await browser.newPage();
    await page.goto(at);
    const options = JSON.stringify({ baseUrl: `${service.url}/v1`, apiKey: key, maxRetries: 0 });
    const result = await page.evaluate<Result>(`(async () => {
      const { AnimalStoreClient, ConnectionError, parseJson, stringifyJson } = await import('animal-store-client');
      const client = new AnimalStoreClient(${options});
      ${statements}
    })()`);
    await page.close();
    return result;
  }

  it('keeps integers exact, pages, and sees the limits', async () => {
    await untilMinuteHasRoom();
    const seen = await inPage(
      origin,
      await service.issueKey({ plan: 'free' }),
      `
      const created = [];
      for (const name of ['Rex', 'Tom', 'Kim']) created.push(await client.createPet({ name, categoryId: 2n ** 53n + 1n }));
      const first = await client.listPets({ limit: 2, categoryId: 2n ** 53n + 1n });
      const second = await first.next();
      const copy = parseJson(stringifyJson(second.items[0]));
      return {
        names: [first, second].map(({ items }) => items.map(({ name }) => name)),
        end: await second.next() === undefined,
        category: String(copy.categoryId),
        left: client.limits.remaining,
      };`,
    );
    expect(seen).toEqual({
      names: [['Rex', 'Tom'], ['Kim']],
      end: true,
      category: '9007199254740993',
      left: 55,
    });
  });

  it('names the setting that a page of another origin lacks', async () => {
    const message = await inPage<string>(
      origin.replace('127.0.0.1', 'localhost'),
      await service.issueKey(),
      `try { await client.listPets(); } catch (error) { return error instanceof ConnectionError && error.message; }`,
    );
    expect(message).toMatch(
      /^GET http:\S+\/v1\/pets: no answer in 1 attempt\. .*http:\/\/localhost:\d+ in CORS_ORIGINS$/,
    );
  });
});
