import { expect, it } from '@jest/globals';
import { ERRORS } from '../../src/common/errors/errors.js';
import { describePage } from '../support/tools/browser.js';
import { takePicture } from '../support/tools/pictures.js';

const PAGES = ['/docs', '/docs/errors', '/usage'];
const STYLE = 'getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).fontFamily';

describePage('the page /docs/errors', ({ service, open }) => {
  it.each([
    ['wide', 1280, 'light'],
    ['phone-dark', 390, 'dark'],
  ] as const)(
    'has a section for every code, in the style of /usage: %s',
    async (name, width, colorScheme) => {
      const options = { viewport: { width, height: 900 }, colorScheme };
      const page = await open('/docs/errors', options);
      const sections = await page.evaluate("Array.from(document.querySelectorAll('h2[id]'), ({ id }) => id)");
      expect(sections).toEqual(expect.arrayContaining(Object.keys(ERRORS)));
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await takePicture(page, `errors-${name}`, false);
      const usage = await open('/usage', options);
      expect(await page.evaluate(STYLE)).toBe(await usage.evaluate(STYLE));
      await page.close();
      await usage.close();
    },
  );

  it.each(PAGES)('is linked with the other pages from %s', async (path) => {
    const page = await open(path, { viewport: { width: 390, height: 844 } });
    const links = "Array.from(document.querySelectorAll('nav a'), (a) => a.getAttribute('href'))";
    expect(await page.evaluate(links)).toEqual(PAGES);
    expect(await page.locator('nav [aria-current="page"]').getAttribute('href')).toBe(path);
    for (const target of PAGES) expect((await page.request.get(service.url + target)).status()).toBe(200);
    await takePicture(page, `phone${path.replaceAll('/', '-')}`, false);
    await page.close();
  });
});
