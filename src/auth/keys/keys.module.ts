import { Module } from '@nestjs/common';
import { AuthModule } from '../auth.module.js';
import { KeysController } from './keys.controller.js';

/** Keys over HTTP. */
@Module({ imports: [AuthModule], controllers: [KeysController] })
export class KeysModule {}
