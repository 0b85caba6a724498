import { Module } from '@nestjs/common';
import { KeyUse } from './key-use.js';

/** Without the counting, for commands. */
@Module({ providers: [KeyUse], exports: [KeyUse] })
export class KeyUseModule {}
