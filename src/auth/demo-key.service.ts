import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { ApiKeysService } from './api-keys.service.js';

/** The key a stranger gets on the first start of the embedded database, so that one command is enough. */
@Injectable()
export class DemoKey {
  constructor(
    private readonly keys: ApiKeysService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The secret of a new Free key, or undefined where there are keys already or where no demo belongs. */
  async issueOnFirstStart(): Promise<string | undefined> {
    if (this.config.database.url !== undefined || this.config.production) return undefined;
    if (await this.keys.existsAny()) return undefined;
    const { key } = await this.keys.create({ name: 'demo', plan: 'free', limits: null, readOnly: false });
    return key;
  }
}
