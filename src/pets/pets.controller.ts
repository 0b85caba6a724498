import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiQuery, ApiResponse } from '@nestjs/swagger';
import { Change } from '../auth/change.decorator.js';
import { Operation } from '../auth/operation.decorator.js';
import { HTTP_ERRORS } from '../platform/common/errors/http.errors.js';
import type { JsonBody } from '../platform/common/json.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type JsonPage } from '../platform/common/paging.js';
import { Int64Param } from '../platform/http/operations/int64-param.js';
import { ApiArrayResponse } from '../platform/http/operations/schemas.js';
import { NoBody } from '../platform/http/requests/validation/rules.js';
import { Idempotent } from '../platform/idempotency/idempotency.js';
import { ListPetsQuery, MAX_NEW_PETS, NewPetDto, NewPetsDto, PetDto, PetUpdateDto } from './dto/pets.dto.js';
import { PET_ERRORS, petNotFound } from './pets.errors.js';
import { PetsService } from './pets.service.js';

const PetId = () =>
  Int64Param('petId', {
    description: 'The identifier of the animal.',
    example: 1,
    notFound: petNotFound,
    error: PET_ERRORS.pet_not_found,
  });

@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(private readonly pets: PetsService) {}

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
  async listPets(@Query() query: ListPetsQuery): Promise<JsonPage> {
    const { limit = DEFAULT_PAGE_SIZE, cursor, ...filter } = query;
    const page = await this.pets.list(filter, limit, cursor);
    // Once getPet is removed no other read shows the tag of one animal, for If-Match.
    return filter.ids?.length === 1 ? page.taggedAsItem() : page;
  }

  @Post()
  @Operation({
    id: 'createPet',
    summary: 'Add an animal.',
    description:
      'Adds an animal to the catalogue and returns it with its new id, which is also in `Location`. A status may be given; without one ' +
      'the animal is available.',
    stability: 'stable',
    access: 'manage',
    creates: (pet: PetDto) => `/pets/${pet.id}`,
    errors: [],
  })
  @Idempotent()
  @ApiResponse({ status: 201, description: 'Animal added.', type: PetDto })
  async createPet(@Body() body: NewPetDto, @Change('collection') { key, check }: Change): Promise<PetDto> {
    check();
    return PetDto.from(await this.pets.create(body, key.id));
  }

  @Post('batch')
  @Operation({
    id: 'createPets',
    summary: 'Add animals together.',
    description:
      `Adds 1 to ${MAX_NEW_PETS} animals in one request, all or none: \`{"pets": [{"name": "Rex", "categoryId": 7}]}\`. The answer has ` +
      'them in the order sent. It counts as one request. Errors name the index and the field: `pets[3].name: expected …`.',
    stability: 'beta',
    access: 'manage',
    errors: [],
  })
  @Idempotent()
  @ApiArrayResponse(PetDto, {
    title: 'NewlyAddedPets',
    description: 'The animals added, in the order sent.',
    status: 201,
    minItems: 1,
    maxItems: MAX_NEW_PETS,
  })
  async createPets(
    @Body() { pets }: NewPetsDto,
    @Change('collection') { key, check }: Change,
  ): Promise<PetDto[]> {
    check();
    return (await this.pets.createMany(pets, key.id)).map((pet) => PetDto.from(pet));
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
    errors: [],
  })
  @ApiResponse({ status: 200, description: 'The animal exists.', type: PetDto })
  getPet(@PetId() petId: bigint): Promise<JsonBody> {
    return this.pets.show(petId);
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
    errors: [PET_ERRORS.pet_has_open_order, HTTP_ERRORS.invalid_status_transition],
  })
  @ApiResponse({ status: 200, description: 'The changed animal.', type: PetDto })
  async updatePet(
    @Body() body: PetUpdateDto,
    @PetId() petId: bigint,
    @Change() { key, check }: Change,
  ): Promise<PetDto> {
    return PetDto.from(await this.pets.update(petId, body, key.id, (pet) => check(PetDto.from(pet))));
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
    errors: [PET_ERRORS.pet_has_open_order],
  })
  @ApiResponse({ status: 204, description: 'The animal is gone.' })
  async deletePet(
    @Body() _body: NoBody,
    @PetId() petId: bigint,
    @Change() { key, check }: Change,
  ): Promise<void> {
    await this.pets.delete(petId, key.id, (pet) => check(PetDto.from(pet)));
  }
}
