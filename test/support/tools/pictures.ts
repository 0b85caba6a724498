import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Where to leave pictures of the pages for people and for the README; nowhere unless asked. */
const folder = process.env.TEST_PICTURES;

/** Leaves a picture of the page: the whole of it, or what the window shows. */
export async function takePicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage });
}
