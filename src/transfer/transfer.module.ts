import { Module } from '@nestjs/common';
import { ExportService } from './export.service.js';
import { ImportService } from './import.service.js';

/** Export and import of the whole database, for commands only. */
@Module({ providers: [ExportService, ImportService], exports: [ExportService, ImportService] })
export class TransferModule {}
