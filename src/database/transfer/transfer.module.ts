import { Module } from '@nestjs/common';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';

/** Everything out of one database, and into another; for commands only. */
@Module({ providers: [ExportService, ImportService], exports: [ExportService, ImportService] })
export class TransferModule {}
