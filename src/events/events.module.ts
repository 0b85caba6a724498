import { Module } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';
import { EventsService } from './events.service.js';
import { Settler } from './feed/settler.js';

/** What happened, as a feed that nobody can miss a part of. Triggers write it, so the other features know nothing of it. */
@Module({
  controllers: [EventsController],
  providers: [EventsRepository, EventsService, Settler],
  exports: [EventsService],
})
export class EventsModule {}
