import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { serviceUnavailable } from '../common/errors/common.errors.js';
import { Lifecycle } from '../common/lifecycle.js';
import { Database } from './database.js';
import { Open } from '../http/operations/operation.decorator.js';

/** Probes for an orchestrator. They are not a part of the API or of its document. */
@ApiExcludeController()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  private ping: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** The process runs. */
  @Get('live')
  @Open()
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * The service has started, is not about to stop, and its database answers and takes writes. Simultaneous probes share one query.
   * @throws ApiError service_unavailable
   */
  @Get('ready')
  @Open()
  async ready(): Promise<{ status: 'ok' }> {
    const { state } = this.lifecycle;
    if (state !== 'serving') throw serviceUnavailable(`The service is ${state}.`);
    this.ping ??= this.database.ping().finally(() => (this.ping = undefined));
    await this.ping;
    return { status: 'ok' };
  }
}
