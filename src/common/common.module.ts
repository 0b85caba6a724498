import { Global, Module } from '@nestjs/common';
import { Clock } from './time.js';
import { Lifecycle } from './lifecycle.js';
import { Sweeper } from './sweeper.js';

/** Providers that every module uses, in the service and in commands. */
@Global()
@Module({ providers: [Clock, Lifecycle, Sweeper], exports: [Clock, Lifecycle, Sweeper] })
export class CommonModule {}
