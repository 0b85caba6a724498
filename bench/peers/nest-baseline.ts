import 'reflect-metadata';
import { hash } from 'node:crypto';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import {
  Body,
  CanActivate,
  Controller,
  ExecutionContext,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Redis } from 'ioredis';
import { MoreThan, Repository } from 'typeorm';
import { ApiKey, KeySecret, ListPets, NewPet, Pet } from './nest-baseline-models.js';

/*
 * The same API in the usual way: NestJS on Express, TypeORM repositories, a ValidationPipe, a look-up of the key for each
 * request, and the throttler module with Redis storage and two named throttlers.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface KeyedRequest {
  headers: Record<string, string | undefined>;
  apiKey?: ApiKey;
}

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<KeyedRequest>();

@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(@InjectRepository(KeySecret) private readonly secrets: Repository<KeySecret>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const secret = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const found = await this.secrets.findOne({
      where: { hash: hash('sha256', secret, 'buffer') },
      relations: { key: true },
    });
    if (!found || found.key.revokedAt) throw new UnauthorizedException();
    request.apiKey = found.key;
    return true;
  }
}

@Injectable()
class KeyThrottlerGuard extends ThrottlerGuard {
  protected override getTracker(request: Record<string, unknown>): Promise<string> {
    return Promise.resolve((request as unknown as KeyedRequest).apiKey?.id ?? '');
  }
}

@Controller('v1/pets')
class PetsController {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  @Get()
  list(@Query() query: ListPets): Promise<Pet[]> {
    return this.pets.find({
      where: {
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.categoryId === undefined ? {} : { categoryId: query.categoryId }),
        id: MoreThan(query.after),
      },
      order: { id: 'ASC' },
      take: query.limit,
    });
  }

  @Get(':petId')
  async get(@Param('petId', ParseIntPipe) petId: number): Promise<Pet> {
    const pet = await this.pets.findOneBy({ id: petId });
    if (!pet) throw new NotFoundException();
    return pet;
  }

  @Post()
  create(@Body() body: NewPet): Promise<Pet> {
    const { name, categoryId, status = 'available' } = body;
    return this.pets.save({ name, categoryId, status });
  }
}

const limitOf = (name: 'perMinute' | 'perDay') => (context: ExecutionContext) =>
  requestOf(context).apiKey?.[name] ?? 0;

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL ?? '',
      poolSize: 10,
      parseInt8: true,
      entities: [ApiKey, KeySecret, Pet],
      synchronize: false,
    }),
    TypeOrmModule.forFeature([ApiKey, KeySecret, Pet]),
    ThrottlerModule.forRoot({
      throttlers: [
        { name: 'minute', ttl: MINUTE_MS, limit: limitOf('perMinute') },
        { name: 'day', ttl: DAY_MS, limit: limitOf('perDay') },
      ],
      storage: new ThrottlerStorageRedisService(
        new Redis(process.env.REDIS_URL ?? '', { keyPrefix: 'bench-nest-baseline:' }),
      ),
    }),
  ],
  controllers: [PetsController],
  providers: [
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: KeyThrottlerGuard },
  ],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
