import { Injectable } from '@nestjs/common';

/** `starting`: the database is not there yet. `draining`: asked to stop, still answering. */
export type LifecycleState = 'starting' | 'serving' | 'draining';

/** Where the process stands between its start and its end. run-service.ts moves it; readiness and headers read it. */
@Injectable()
export class Lifecycle {
  state: LifecycleState = 'starting';
}
