import { afterAll, describe, expect, it } from '@jest/globals';
import { describePage, widthOf } from '../../support/tools/browser.js';
import { DRESSES, openDesk, type Desk } from '../../support/tools/console.js';
import { TASKS } from './tasks.js';

const seconds = new Map<string, number>();

describePage('the console', (pages) => {
  describe.each(DRESSES)('$dress', (dress) => {
    const desks = new Map<string, Promise<Desk>>();

    it.each(TASKS)('$task', async ({ task, access, run }) => {
      const desk = desks.get(access) ?? openDesk(pages, dress, { access, name: `Mia, ${access}` });
      desks.set(access, desk);
      const opened = await desk;
      const startedMs = performance.now();
      const before = pages.problems.length;
      await run(opened, pages.service);
      seconds.set(`${task} (${dress.dress})`, (performance.now() - startedMs) / 1_000);
      // The browser itself reports an answer of 4xx, which a task may be about.
      const others = pages.problems
        .slice(before)
        .filter((text) => !text.startsWith('Failed to load resource'));
      pages.problems.splice(before);
      expect(others).toEqual([]);
      expect(await widthOf(opened.page)).toBeLessThanOrEqual(dress.width);
    });
  });

  afterAll(() => {
    if (process.env.TEST_SECONDS === undefined) return;
    console.log(Array.from(seconds, ([name, each]) => `${each.toFixed(1)} s  ${name}`).join('\n'));
  });
});
