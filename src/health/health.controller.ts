import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Open } from '../common/http/operation.decorator.js';
import { serviceUnavailable } from '../common/errors/common.errors.js';
import { Lifecycle } from '../common/lifecycle.js';
import { Database } from '../database/database.js';

const RETRY_AFTER_SECONDS = 1;

/** What an orchestrator asks; no part of the API, so not in its document. */
@ApiExcludeController()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
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

  /** The service can do its work: it has started, is not about to stop, and its database answers. */
  @Get('ready')
  @Open()
  async ready(): Promise<{ status: 'ok' }> {
    const { state } = this.lifecycle;
    if (state !== 'serving') throw serviceUnavailable(`The service is ${state}.`, RETRY_AFTER_SECONDS);
    await this.database.ping();
    return { status: 'ok' };
  }
}
