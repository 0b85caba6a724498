import pg from 'pg';

/**
 * A connection whose loss never ends the process. `pg` tells of a loss by an event, beside the statement that fails, and
 * an event of that name which nobody hears is thrown. The pool listens only while a connection lies idle.
 */
export class SteadyClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
