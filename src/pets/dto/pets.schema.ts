import { getSchemaPath } from '@nestjs/swagger';
import { MAX_LIMIT } from '../../common/paging/page-limit.js';
import { PetDto } from './pet.dto.js';

/** A page of animals. Nest documents classes only, and this one is a bare array. */
export const PETS_SCHEMA = {
  name: 'Pets',
  schema: {
    type: 'array',
    description: 'A page of animals.',
    items: { $ref: getSchemaPath(PetDto) },
    maxItems: MAX_LIMIT,
  },
  reference: { $ref: '#/components/schemas/Pets' },
} as const;
