import { Module } from '@nestjs/common';
import { OpenOrders } from './open-orders.js';

/** Without the other orders, for commands. */
@Module({ providers: [OpenOrders], exports: [OpenOrders] })
export class OpenOrdersModule {}
