import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PetsModule } from '../pets/pets.module.js';
import { OpenOrdersModule } from './open-orders.module.js';
import { OrderExpiry } from './order-expiry.js';
import { OrderEntity } from './order.entity.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';
import { StoreController } from './store.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([OrderEntity]), OpenOrdersModule, PetsModule],
  controllers: [StoreController],
  providers: [OrderExpiry, OrdersRepository, OrdersService],
})
export class StoreModule {}
