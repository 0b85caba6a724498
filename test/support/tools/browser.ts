import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type ConsoleMessage,
  type Page,
} from 'playwright-core';
import { embedded, type Env } from '../databases.js';
import { ownService, type RunningService } from '../service.js';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Describes tests that need a browser. They are reported as skipped on a machine without one; CI installs one. */
export const inBrowser = CHROMIUM === undefined ? describe.skip : describe;

export function launchBrowser(): Promise<Browser> {
  const args = '--no-sandbox --disable-gpu --disable-quic --disable-background-networking --disable-sync';
  return chromium.launch({ executablePath: CHROMIUM, args: args.split(' ') });
}

/** Widths of the visible part of a page. */
export const WIDE = 1_280;
export const PHONE = 390;

/** The width of a page's content: more than that of the visible part if the page scrolls sideways. */
export const widthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

/** Only a hang ends a wait: a slow machine does not. Below Jest's limit of a test, so that the message names what was waited for. */
const SLOW_MS = 110_000;

export interface Pages {
  service: RunningService;
  /** Opens a page of this width, by default a wide one. */
  open: (path: string, width?: number, options?: BrowserContextOptions) => Promise<Page>;
  /** The messages so far. A test takes out those that it causes. */
  problems: string[];
}

interface PageOptions {
  /** Settings of the service. */
  settings?: Env;
  /** The messages in the browser's console that say nothing about the page. */
  isExpected?: (message: ConsoleMessage) => boolean;
}

/** Describes tests of a page of the service, at whose end the browser's console has no message and no other host got a request. */
export function describePage(
  name: string,
  tests: (pages: Pages) => void,
  { settings = {}, isExpected = () => false }: PageOptions = {},
): void {
  inBrowser(name, () => {
    const service = ownService(embedded, settings);
    const problems: string[] = [];
    const foreign: string[] = [];
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser.close());

    async function open(path: string, width = WIDE, options: BrowserContextOptions = {}): Promise<Page> {
      const page = await browser.newPage({ viewport: { width, height: 900 }, ...options });
      page.setDefaultTimeout(SLOW_MS);
      page.on('console', (message) => {
        if (!isExpected(message)) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith(service.url) && !request.url().startsWith('data:'))
          foreign.push(request.url());
      });
      await page.goto(service.url + path);
      return page;
    }

    tests({ service, open, problems });

    it('causes no message in the console and no request to other hosts', () => {
      expect([problems, foreign]).toEqual([[], []]);
    });
  });
}
