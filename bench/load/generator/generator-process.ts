import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Call } from './connection.js';
import type { Figures, FromGenerator, Job, ToGenerator } from './generator.js';

/** Controls the process of the generator. */
export class GeneratorProcess {
  private readonly child = fork(fileURLToPath(new URL('./generator.ts', import.meta.url)));

  /** Calls `began` when the lead-in is over. */
  async run(calls: Call[], job: Job, began: () => void): Promise<Figures> {
    this.tell({ calls });
    this.tell({ job });
    for (;;) {
      const [message] = (await once(this.child, 'message')) as [FromGenerator];
      if (message !== 'began') return message;
      began();
    }
  }

  stop(): void {
    this.child.kill();
  }

  private tell(message: ToGenerator): void {
    this.child.send(message);
  }
}
