import { Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Lifecycle } from './lifecycle.js';

/** Providers that every module uses, in the service and in commands. */
@Global()
@Module({ providers: [Clock, Lifecycle], exports: [Clock, Lifecycle] })
export class CommonModule {}
