import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { KeyUseModule } from '../rate-limit/usage/key-use.module.js';
import { KeyViews } from './key-views.js';

/** Keys without HTTP, for commands. */
@Module({
  imports: [AuthModule, KeyUseModule],
  providers: [KeyViews],
  exports: [AuthModule, KeyUseModule, KeyViews],
})
export class KeyViewsModule {}
