import { afterAll, describe, expect, it } from '@jest/globals';
import { widthOf } from '../../support/tools/browser.js';
import { describeConsole, FORMATS, openDesk, themeOf, type Desk } from '../../support/tools/console.js';
import { TASKS } from './tasks.js';

const seconds: string[] = [];

describeConsole('the tasks of a store', (pages) => {
  describe.each(FORMATS)('%s', (format, width) => {
    const desks = new Map<string, Promise<Desk>>();

    it.each(TASKS)('%s', async (task, access, run) => {
      const number = TASKS.findIndex(([name]) => name === task);
      // What is done in light at one width is done in dark at the other.
      const colorScheme = themeOf(format === 'wide' ? number : number + 1);
      const key = { access, name: `Mia, ${access}` };
      const desk = desks.get(access) ?? openDesk(pages, { width, colorScheme }, key);
      desks.set(access, desk);
      const opened = await desk;
      await opened.page.emulateMedia({ colorScheme });
      const startedMs = performance.now();
      await run(opened, pages.service);
      const took = ((performance.now() - startedMs) / 1_000).toFixed(1);
      seconds.push(`${took} s  ${task} (${format}, ${colorScheme})`);
      expect(await widthOf(opened.page)).toBeLessThanOrEqual(width);
    });
  });

  afterAll(() => {
    if (process.env.TEST_FIGURES !== undefined) console.log(seconds.join('\n'));
  });
});
