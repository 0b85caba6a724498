import type { Page } from 'playwright-core';

/** The least contrast of text that WCAG 2 (1.4.3, level AA) accepts. */
const LEAST = 4.5;

/**
 * The visible texts of a page, placeholders and texts of buttons among them, whose contrast with what is behind them is too low, with that contrast.
 * A translucent colour counts as it shows on the grounds below it.
 */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(${findFaint})(${String(LEAST)})`);

/** Runs in the page, so it uses nothing from outside of itself. */
const findFaint = `async (least) => {
  // A colour that is still changing has any contrast.
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  const colourOf = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((value, index) => value * a + ground[index] * (1 - a));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
  const groundOf = (element) => {
    if (!element) return canvas;
    const colour = colourOf(getComputedStyle(element).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, groundOf(element.parentElement));
  };
  const opacityOf = (element) => (element ? getComputedStyle(element).opacity * opacityOf(element.parentElement) : 1);
  const contrastOf = (element, pseudo) => {
    const ground = groundOf(element);
    const [r, g, b, a] = colourOf(getComputedStyle(element, pseudo).color);
    const [light, dark] = [over([r, g, b, a * opacityOf(element)], ground), ground].map(luminance).sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const found = new Set();
  const check = (element, text, pseudo) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches(':disabled')) return;
    const contrast = contrastOf(element, pseudo);
    if (contrast < least) found.add(text.trim().slice(0, 40) + ' in ' + element.tagName + '.' + element.className + ': ' + contrast.toFixed(2));
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim() !== '' && !parentElement.closest('script, style, noscript, option')) check(parentElement, data);
  }
  for (const input of document.querySelectorAll('input[placeholder], textarea')) check(input, input.value || input.placeholder, input.value ? undefined : '::placeholder');
  return [...found];
}`;
