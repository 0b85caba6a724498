import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { embedded } from '../support/databases.js';
import { listen } from '../support/servers/listen.js';
import { ownService } from '../support/service.js';
import { StoppedClock } from '../support/stopped-clock.js';
import { inBrowser, launchBrowser } from '../support/tools/browser.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = `<!doctype html><script type="importmap">{"imports": {
  "animal-store-client": "/packages/client/dist/index.js",
  "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"
}}</script>`;

inBrowser('the client in a browser', () => {
  // It stands still, because a browser may take more than a minute on a busy machine.
  const clock = new StoppedClock();
  let pages: Server;
  let browser: Browser;
  let origin: string;

  const service = ownService(embedded, async () => {
    // Serves the page and its modules, as a bundler or a file server does.
    pages = createServer(({ url = '/' }, response) => {
      const isScript = /\.m?js$/.test(url);
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? readFileSync(`${ROOT}${url.slice(1)}`) : PAGE);
    });
    origin = await listen(pages);
    return { ...clock.env, CORS_ORIGINS: origin };
  });
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    pages.close();
    await browser.close();
  });

  /** Runs statements with `client` in a page, and returns their result. */
  async function inPage(at: string, key: string, statements: string): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(at);
    const options = JSON.stringify({ baseUrl: `${service.url}/v1`, apiKey: key, maxRetries: 0 });
    const result: unknown = await page.evaluate(`(async () => {
      const { AnimalStoreClient, ConnectionError, parseJson, stringifyJson } = await import('animal-store-client');
      const client = new AnimalStoreClient(${options});
      ${statements}
    })()`);
    await page.close();
    return result;
  }

  it('keeps integers exact, follows pages, and shows the limits', async () => {
    const seen = await inPage(
      origin,
      await service.issueKey({ plan: 'free' }),
      `const categoryId = 2n ** 53n + 1n;
      for (const name of ['Rex', 'Tom', 'Kim']) await client.createPet({ name, categoryId });
      const first = await client.listPets({ limit: 2, categoryId });
      const second = await first.next();
      const copy = parseJson(stringifyJson(second.items[0]));
      return {
        names: [first, second].map(({ items }) => items.map(({ name }) => name)),
        end: await second.next() === undefined,
        category: String(copy.categoryId),
        left: client.limits.remaining,
      };`,
    );
    const names = [['Rex', 'Tom'], ['Kim']];
    expect(seen).toEqual({ names, end: true, category: '9007199254740993', left: 55 });
  });

  it('names the missing setting for a page of another origin', async () => {
    const message = await inPage(
      origin.replace('127.0.0.1', 'localhost'),
      await service.issueKey(),
      `try { await client.listPets(); } catch (error) { return error instanceof ConnectionError && error.message; }`,
    );
    expect(message).toMatch(
      /^GET http:\S+\/v1\/pets: no answer in 1 attempt\. .*http:\/\/localhost:\d+ in CORS_ORIGINS$/,
    );
  });
});
