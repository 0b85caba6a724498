import { Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Lifecycle } from './lifecycle.js';

/** What every module uses, in the service and in commands alike. */
@Global()
@Module({ providers: [Clock, Lifecycle], exports: [Clock, Lifecycle] })
export class CommonModule {}
