import { stopServices } from './shared-services.ts';
import { dropTemplates } from './templates.ts';

export default async function tearDown(): Promise<void> {
  await stopServices();
  await dropTemplates();
}
