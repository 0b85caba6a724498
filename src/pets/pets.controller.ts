import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidBody } from '../common/errors/common.errors.js';
import { Links } from '../common/http/links.js';
import { Operation, WRITING_ERRORS } from '../common/http/operation.decorator.js';
import { setNextPage } from '../common/http/paging-headers.js';
import { parseInt64 } from '../common/int64.js';
import { JSON_MEDIA_TYPE } from '../common/json/json-media-type.js';
import { DEFAULT_LIMIT } from '../common/paging/page-limit.js';
import { ApiNoBody, NoBody } from '../common/validation/no-body.dto.js';
import { NoParameters } from '../common/validation/no-parameters.dto.js';
import { IdempotencyHeader } from '../idempotency/idempotency-header.js';
import { ApiIdempotencyKey, IdempotencyKey } from '../idempotency/idempotency-key.decorator.js';
import { IDEMPOTENCY_ERRORS } from '../idempotency/idempotency.errors.js';
import { Idempotency } from '../idempotency/idempotency.service.js';
import { ListPetsQuery } from './dto/list-pets.query.js';
import { NewPetDto } from './dto/new-pet.dto.js';
import { PetUpdateDto } from './dto/pet-update.dto.js';
import { PetDto } from './dto/pet.dto.js';
import { PETS_SCHEMA } from './dto/pets.schema.js';
import type { Pet } from './pet.js';
import { petNotFound } from './pets.errors.js';
import { PetsService } from './pets.service.js';

const PET_ID = {
  name: 'petId',
  description: 'The identifier of the animal.',
  schema: { type: 'integer' as const, format: 'int64' },
  example: 42,
};

@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly links: Links,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  @Operation({
    id: 'listPets',
    summary: 'List animals.',
    description:
      'Ascending by id, a page at a time. While more follow, `X-Next-Cursor` and `Link` name the next page; ' +
      'the last page carries neither. A walk shows every animal that existed throughout exactly once.',
    stability: 'stable',
    errors: ['invalid_cursor'],
  })
  // Said here because a DTO's property cannot: ids=1,2 and not ids=1&ids=2, which is a parameter given twice.
  @ApiQuery({ name: 'ids', required: false, style: 'form', explode: false })
  @ApiResponse({ status: 200, description: 'A page of animals.', schema: PETS_SCHEMA.reference })
  async listPets(
    @Query() query: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { limit = DEFAULT_LIMIT, cursor, ...filter } = query;
    const { pets, nextCursor } = await this.pets.list(filter, limit, cursor);
    if (nextCursor !== undefined) setNextPage(reply, this.links, '/pets', { limit, ...filter }, nextCursor);
    void reply.type(JSON_MEDIA_TYPE);
    return pets;
  }

  @Post()
  @HttpCode(201)
  @Operation({
    id: 'createPet',
    summary: 'Add an animal.',
    description: 'Needs a key that may write. Answers the animal with the id it was given.',
    stability: 'stable',
    errors: [...WRITING_ERRORS, ...IDEMPOTENCY_ERRORS],
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: NewPetDto })
  @ApiResponse({ status: 201, description: 'Animal added.', type: PetDto })
  createPet(
    // Nest looks at the last argument first: what is wrong with the query is found before the body.
    @Body() body: NewPetDto,
    @IdempotencyKey() idempotencyKey: IdempotencyHeader,
    @Query() _parameters: NoParameters,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    return this.idempotency.answer(request, reply, idempotencyKey, async () => {
      const pet = await this.pets.create(body);
      return { status: 201, body: pet, location: this.links.to(`/pets/${String(pet.id)}`) };
    });
  }

  @Get(':petId')
  @Operation({
    id: 'getPet',
    summary: 'Fetch one animal (deprecated).',
    description:
      'Deprecated: removal is scheduled for 5 December 2030. Use `GET /pets` with a status filter, or with ' +
      '`ids=` for animals whose ids are known.',
    stability: 'stable',
    sunset: {
      deprecatedAt: new Date('2026-11-20T00:00:00Z'),
      removedAt: new Date('2030-12-05T00:00:00Z'),
      successor: '/pets?status=available',
    },
    errors: ['pet_not_found', 'endpoint_removed'],
  })
  @ApiParam(PET_ID)
  @ApiResponse({ status: 200, description: 'The animal exists.', type: PetDto })
  getPet(@Query() _parameters: NoParameters, @Param('petId') petId: string): Promise<Pet> {
    return this.pets.get(int64IdOf(petId));
  }

  @Patch(':petId')
  @Operation({
    id: 'updatePet',
    summary: 'Change an animal.',
    description:
      'Any of name, category and status. A status goes from available to pending or sold, from pending to available ' +
      'or sold; sold is final. While an open order reserves the animal, its status is left to the order.',
    stability: 'beta',
    errors: [...WRITING_ERRORS, 'pet_not_found', 'pet_has_open_order', 'invalid_status_transition'],
  })
  @ApiParam(PET_ID)
  @ApiBody({ type: PetUpdateDto })
  @ApiResponse({ status: 200, description: 'The animal as it is now.', type: PetDto })
  updatePet(
    @Body() body: PetUpdateDto,
    @Query() _parameters: NoParameters,
    @Param('petId') petId: string,
  ): Promise<Pet> {
    const { name, categoryId, status } = body;
    if (name === undefined && categoryId === undefined && status === undefined) {
      throw invalidBody('body: expected at least one of name, categoryId, status, got an empty object');
    }
    return this.pets.update(int64IdOf(petId), body);
  }

  @Delete(':petId')
  @HttpCode(204)
  @Operation({
    id: 'deletePet',
    summary: 'Remove an animal.',
    description: 'Its id is never used again. An animal that an open order reserves stays.',
    stability: 'beta',
    errors: [...WRITING_ERRORS, 'pet_not_found', 'pet_has_open_order'],
  })
  @ApiParam(PET_ID)
  @ApiNoBody()
  @ApiResponse({ status: 204, description: 'The animal is gone.' })
  async deletePet(
    @Body() _body: NoBody,
    @Query() _parameters: NoParameters,
    @Param('petId') petId: string,
  ): Promise<void> {
    await this.pets.delete(int64IdOf(petId));
  }
}

/** Raises pet_not_found: what is no int64 is no animal's id. */
function int64IdOf(petId: string): bigint {
  const id = parseInt64(petId);
  if (id === undefined) throw petNotFound(petId);
  return id;
}
