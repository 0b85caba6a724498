import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiParam, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Links } from '../common/http/links.js';
import { Operation } from '../common/http/operation.decorator.js';
import { setNextPage } from '../common/http/paging-headers.js';
import { parseInt64 } from '../common/int64.js';
import { NoParameters } from '../common/validation/no-parameters.dto.js';
import { DEFAULT_LIMIT, ListPetsQuery } from './dto/list-pets.query.js';
import { NewPetDto } from './dto/new-pet.dto.js';
import { PetDto } from './dto/pet.dto.js';
import { PETS_SCHEMA } from './dto/pets.schema.js';
import type { Pet } from './pet.js';
import { petNotFound } from './pets.errors.js';
import { PetsService } from './pets.service.js';

@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly links: Links,
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
  @ApiResponse({ status: 200, description: 'A page of animals.', schema: PETS_SCHEMA.reference })
  async listPets(
    @Query() query: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pet[]> {
    const { limit = DEFAULT_LIMIT, cursor, ...filter } = query;
    const { pets, nextCursor } = await this.pets.list(filter, limit, cursor);
    if (nextCursor !== undefined) setNextPage(reply, this.links, '/pets', { limit, ...filter }, nextCursor);
    return pets;
  }

  @Post()
  @HttpCode(201)
  @Operation({
    id: 'createPet',
    summary: 'Add an animal.',
    description: 'Needs a key that may write. Answers the animal with the id it was given.',
    stability: 'stable',
    errors: ['malformed_json', 'invalid_body', 'read_only_key', 'body_too_large', 'unsupported_media_type'],
  })
  @ApiBody({ type: NewPetDto })
  @ApiResponse({ status: 201, description: 'Animal added.', type: PetDto })
  async createPet(
    // Nest looks at the last argument first: what is wrong with the query is found before the body.
    @Body() body: NewPetDto,
    @Query() _parameters: NoParameters,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Pet> {
    const pet = await this.pets.create(body);
    void reply.header('Location', this.links.to(`/pets/${String(pet.id)}`));
    return pet;
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
  @ApiParam({
    name: 'petId',
    description: 'The identifier of the animal.',
    schema: { type: 'integer', format: 'int64' },
    example: 42,
  })
  @ApiResponse({ status: 200, description: 'The animal exists.', type: PetDto })
  getPet(@Query() _parameters: NoParameters, @Param('petId') petId: string): Promise<Pet> {
    const id = parseInt64(petId);
    if (id === undefined) throw petNotFound(petId);
    return this.pets.get(id);
  }
}
