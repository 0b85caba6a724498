import { startServices } from './shared-services.ts';
import { createTemplates } from './templates.ts';

export default async function setUp(): Promise<void> {
  await Promise.all([createTemplates(), startServices()]);
}
