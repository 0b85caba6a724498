import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth/auth.module.js';
import { EventsModule } from '../events/events.module.js';
import { DeliveriesRepository } from './delivery/deliveries.repository.js';
import { DeliveryRounds } from './delivery/delivery-rounds.js';
import { KeySweep } from './delivery/key-sweep.js';
import { Turn } from './delivery/turn.js';
import { SecretBox } from './secrets/secret-box.js';
import { Addresses } from './sending/addresses.js';
import { Dispatcher } from './sending/dispatcher.js';
import { Sender } from './sending/sender.js';
import { WebhookTestsService } from './webhook-tests.service.js';
import { WebhookEntity } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

/** Sends events to the addresses of those who want them. A webhook is a place in the feed: there is no queue. */
@Module({
  imports: [TypeOrmModule.forFeature([WebhookEntity]), AuthModule, EventsModule],
  controllers: [WebhooksController],
  providers: [
    WebhooksRepository,
    WebhooksService,
    WebhookTestsService,
    SecretBox,
    Addresses,
    Sender,
    Dispatcher,
    DeliveriesRepository,
    Turn,
    DeliveryRounds,
    KeySweep,
  ],
})
export class WebhooksModule {}
