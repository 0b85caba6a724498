import { Global, Module } from '@nestjs/common';
import { BackgroundTasks } from './background-tasks.js';
import { Lifecycle } from './lifecycle.js';
import { Clock } from './time.js';

/** Providers that every module uses, in the service and in commands. */
@Global()
@Module({ providers: [BackgroundTasks, Clock, Lifecycle], exports: [BackgroundTasks, Clock, Lifecycle] })
export class CommonModule {}
