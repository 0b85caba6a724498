import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { serviceUnavailable } from '../common/errors/common.errors.js';
import { NO_WRITES } from '../common/errors/database-errors.js';
import { logDatabaseProblem } from '../common/errors/database-problems.js';
import { Lifecycle } from '../common/lifecycle.js';
import { Open } from '../http/operations/operation.decorator.js';
import { Database } from './database.js';
import { ROOM, tablesOf, UNUSABLE, type Unusable } from './connections/usable.js';

/** Probes for an orchestrator. They are not a part of the API or of its document. */
@ApiExcludeController()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  private asking: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** The process runs. */
  @Get('live')
  @Open()
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * The service has started, is not about to stop, and its database answers, has the tables and takes writes. Simultaneous probes share one
   * question.
   * @throws ApiError service_unavailable
   */
  @Get('ready')
  @Open()
  async ready(): Promise<{ status: 'ok' }> {
    const { state } = this.lifecycle;
    if (state !== 'serving') throw serviceUnavailable(`The service is ${state}.`);
    this.asking ??= this.askForWrites().finally(() => (this.asking = undefined));
    await this.asking;
    return { status: 'ok' };
  }

  /** Asks where single reads do, so that writers that wait for a lock do not matter. */
  private async askForWrites(): Promise<void> {
    const [[answer]] = await Promise.all([
      this.database.query<Unusable>(UNUSABLE, [tablesOf(this.dataSource)]),
      this.database.query(ROOM, []),
    ]);
    if (typeof answer?.reason !== 'string') return;
    logDatabaseProblem(NO_WRITES, answer);
    // The next connections may lead to the server's successor.
    this.database.closeReaders();
    throw serviceUnavailable(`The database takes no writes: ${answer.reason}.`);
  }
}
