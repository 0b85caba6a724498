import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentKey } from '../auth/caller.js';
import type { CallerKey } from '../auth/keys/api-key.js';
import { Operation } from '../auth/operation.decorator.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import { int64IdOf } from '../platform/common/int64.js';
import { JSON_MEDIA_TYPE } from '../platform/common/json.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../platform/common/paging.js';
import { ApiArrayResponse, ApiInt64Param } from '../platform/http/operations/schemas.js';
import { NoBody } from '../platform/http/requests/validation/rules.js';
import {
  ApiPreconditions,
  ApiIfNoneMatch,
  entityTagOf,
  Preconditions,
  type Precondition,
} from '../platform/http/responses/etag.js';
import { Links, setNextPage } from '../platform/http/responses/links.js';
import { ETAG, LOCATION } from '../platform/http/responses/response-headers.js';
import { IDEMPOTENCY_ERRORS } from '../platform/idempotency/idempotency.errors.js';
import { Idempotency, Idempotent } from '../platform/idempotency/idempotency.js';
import { ListPetsQuery, MAX_NEW_PETS, NewPetDto, NewPetsDto, PetDto, PetUpdateDto } from './dto/pets.dto.js';
import { PET_ERRORS, petNotFound } from './pets.errors.js';
import { PetsService } from './pets.service.js';

/** An empty page. */
const NONE = '[]';

const ApiPetId = () => ApiInt64Param('petId', 'The identifier of the animal.', 42);

@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly idempotency: Idempotency,
    private readonly links: Links,
  ) {}

  @Get()
  @Operation({
    id: 'listPets',
    summary: 'List animals.',
    description:
      'Ascending by id, or descending with `order=desc`, a page at a time: `GET /pets?status=available&limit=20`. While more follow, `X-Next-Cursor` and ' +
      '`Link` name the next page; the last page carries neither. A walk over the pages shows every animal that existed ' +
      'throughout exactly once, whatever is added or removed meanwhile.',
    stability: 'stable',
    access: 'read',
    errors: [HTTP_ERRORS.invalid_cursor],
  })
  // A DTO's property cannot declare this: ids=1,2 keeps within the longest path and query.
  @ApiQuery({ name: 'ids', required: false, style: 'form', explode: false })
  @ApiArrayResponse(PetDto, { title: 'Pets', description: 'A page of animals.', maxItems: MAX_PAGE_SIZE })
  async listPets(
    @Query() query: ListPetsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...filter } = query;
    const { pets, nextCursor } = await this.pets.list(filter, limit, cursor);
    if (nextCursor !== undefined) setNextPage(reply, this.links, '/pets', { limit, ...filter }, nextCursor);
    void reply.type(JSON_MEDIA_TYPE);
    // The animal's own tag, for If-Match: once getPet is removed no other read shows it.
    if (filter.ids?.length === 1 && pets !== NONE)
      void reply.header(ETAG.name, entityTagOf(pets.slice(1, -1)));
    return pets;
  }

  @Post()
  @HttpCode(201)
  @Operation({
    id: 'createPet',
    summary: 'Add an animal.',
    description:
      'Adds an animal to the catalogue and returns it with its new id, which is also in `Location`. A status may be given; without one ' +
      'the animal is available.',
    stability: 'stable',
    access: 'manage',
    errors: [...Object.values(IDEMPOTENCY_ERRORS), HTTP_ERRORS.precondition_failed],
  })
  @Idempotent()
  @ApiIfNoneMatch()
  @ApiBody({ type: NewPetDto })
  @ApiResponse({ status: 201, description: 'Animal added.', type: PetDto })
  createPet(
    @Body() body: NewPetDto,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PetDto | string> {
    return this.idempotency.once(key.id, request, reply, async () => {
      precondition();
      const pet = await this.pets.create(body, key.id);
      void reply.header(LOCATION.name, this.links.to(`/pets/${pet.id}`));
      return PetDto.of(pet);
    });
  }

  @Post('batch')
  @HttpCode(201)
  @Operation({
    id: 'createPets',
    summary: 'Add animals together.',
    description:
      `Adds 1 to ${MAX_NEW_PETS} animals in one request, all or none: \`{"pets": [{"name": "Rex", "categoryId": 7}]}\`. The answer has ` +
      'them in the order sent. It counts as one request. Errors name the index and the field: `pets[3].name: expected …`.',
    stability: 'beta',
    access: 'manage',
    errors: [...Object.values(IDEMPOTENCY_ERRORS), HTTP_ERRORS.precondition_failed],
  })
  @Idempotent()
  @ApiIfNoneMatch()
  @ApiBody({ type: NewPetsDto })
  @ApiArrayResponse(PetDto, {
    title: 'NewlyAddedPets',
    description: 'The animals added, in the order sent.',
    status: 201,
    minItems: 1,
    maxItems: MAX_NEW_PETS,
  })
  createPets(
    @Body() { pets }: NewPetsDto,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PetDto[] | string> {
    return this.idempotency.once(key.id, request, reply, async () => {
      precondition();
      return (await this.pets.createMany(pets, key.id)).map((pet) => PetDto.of(pet));
    });
  }

  @Get(':petId')
  @Operation({
    id: 'getPet',
    summary: 'Fetch one animal (deprecated).',
    description:
      'Deprecated: removal is scheduled for 5 December 2030. Use `GET /pets` with a status filter, or ' +
      '`GET /pets?ids=42` for animals whose ids are known.',
    stability: 'stable',
    access: 'read',
    sunset: {
      deprecatedAt: new Date('2026-11-20T00:00:00Z'),
      removedAt: new Date('2030-12-05T00:00:00Z'),
      successor: '/pets?status=available',
    },
    errors: [PET_ERRORS.pet_not_found],
  })
  @ApiPetId()
  @ApiResponse({ status: 200, description: 'The animal exists.', type: PetDto })
  async getPet(@Param('petId') petId: string): Promise<PetDto> {
    return PetDto.of(await this.pets.get(int64IdOf(petId, petNotFound)));
  }

  @Patch(':petId')
  @Operation({
    id: 'updatePet',
    summary: 'Change an animal.',
    description:
      'Changes any of name, category and status: `{"status": "sold"}`. A status goes from available to pending or sold, from pending to available ' +
      'or sold; sold is final. While an open order reserves the animal, only the order changes its status.',
    stability: 'beta',
    access: 'manage',
    errors: [
      PET_ERRORS.pet_not_found,
      HTTP_ERRORS.precondition_failed,
      PET_ERRORS.pet_has_open_order,
      HTTP_ERRORS.invalid_status_transition,
    ],
  })
  @ApiPetId()
  @ApiPreconditions()
  @ApiBody({ type: PetUpdateDto })
  @ApiResponse({ status: 200, description: 'The changed animal.', type: PetDto })
  async updatePet(
    @Body() body: PetUpdateDto,
    @Param('petId') petId: string,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
  ): Promise<PetDto> {
    const id = int64IdOf(petId, petNotFound);
    return PetDto.of(await this.pets.update(id, body, key.id, (pet) => precondition(PetDto.of(pet))));
  }

  @Delete(':petId')
  @HttpCode(204)
  @Operation({
    id: 'deletePet',
    summary: 'Remove an animal.',
    description:
      'Removes an animal for good: its id is never used again. An animal with an open order stays (409); cancel the order first.',
    stability: 'beta',
    access: 'manage',
    errors: [PET_ERRORS.pet_not_found, HTTP_ERRORS.precondition_failed, PET_ERRORS.pet_has_open_order],
  })
  @ApiPetId()
  @ApiPreconditions()
  @ApiResponse({ status: 204, description: 'The animal is gone.' })
  async deletePet(
    @Body() _body: NoBody,
    @Param('petId') petId: string,
    @CurrentKey() key: CallerKey,
    @Preconditions() precondition: Precondition,
  ): Promise<void> {
    await this.pets.delete(int64IdOf(petId, petNotFound), key.id, (pet) => precondition(PetDto.of(pet)));
  }
}
