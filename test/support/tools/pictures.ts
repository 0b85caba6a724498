import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** The folder for screenshots of the pages, for people and for the README; none by default. */
const folder = process.env.TEST_PICTURES;

/** Saves a screenshot of the whole page or of the visible part. */
export async function takePicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage });
}
