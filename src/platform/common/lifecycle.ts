import { Injectable } from '@nestjs/common';

/** `starting`: the database is not ready. `draining`: asked to stop, still answering. */
export type LifecycleState = 'starting' | 'serving' | 'draining';

/** The state of the process. platform/process changes it; readiness and the `Connection` header depend on it. */
@Injectable()
export class Lifecycle {
  state: LifecycleState = 'starting';
}
