import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { ApiKeysService } from './api-keys.service.js';

/** Issues a key on the first start of the embedded database, so that a newcomer needs one command only. */
@Injectable()
export class DemoKey {
  constructor(
    private readonly keys: ApiKeysService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The secret of a new Free key; undefined when keys exist, in production and with DATABASE_URL. */
  async issueOnFirstStart(): Promise<string | undefined> {
    if (this.config.database.url !== undefined || this.config.production) return undefined;
    if (await this.keys.existsAny()) return undefined;
    const { key } = await this.keys.create({
      name: 'demo',
      plan: 'free',
      perMinute: null,
      perDay: null,
      readOnly: false,
    });
    return key;
  }
}
