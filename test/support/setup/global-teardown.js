import { stopServices } from './shared-services.js';
import { dropTemplates } from './templates.js';

export default async function tearDown() {
  await stopServices();
  await dropTemplates();
}
