import { startServices } from './shared-services.js';
import { createTemplates } from './templates.js';

export default async function setUp() {
  await Promise.all([createTemplates(), startServices()]);
}
