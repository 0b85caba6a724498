import 'reflect-metadata';
import {
  Body,
  CanActivate,
  Controller,
  Get,
  Header,
  Injectable,
  Module,
  Param,
  Post,
  Req,
  type Type,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { getOne, insert, listPage, type NewPet } from './limit-statements.js';

/*
 * What Nest on Fastify can do at all: the statements of node-limit behind as many guards as the service has, which do nothing,
 * and with ten response headers, whose values are made up. It checks no key, validates nothing and counts nothing.
 */

const GUARDS = 8;
const JSON_TYPE = 'application/json; charset=utf-8';

function emptyGuard(): Type<CanActivate> {
  @Injectable()
  class EmptyGuard implements CanActivate {
    canActivate(): boolean {
      return true;
    }
  }
  return EmptyGuard;
}

@Controller('v1/pets')
class PetsController {
  @Get()
  @Header('Content-Type', JSON_TYPE)
  list(@Req() { url }: FastifyRequest): Promise<string> {
    return listPage(url);
  }

  @Get(':petId')
  @Header('Content-Type', JSON_TYPE)
  get(@Param('petId') petId: string): Promise<string> {
    return getOne(petId);
  }

  @Post()
  @Header('Content-Type', JSON_TYPE)
  create(@Body() pet: NewPet): Promise<string> {
    return insert(pet);
  }
}

@Module({
  controllers: [PetsController],
  providers: Array.from({ length: GUARDS }, () => ({ provide: APP_GUARD, useClass: emptyGuard() })),
})
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(
  AppModule,
  new FastifyAdapter({ skipMiddie: true }),
  {
    logger: ['error', 'warn'],
  },
);
let requests = 0;
app
  .getHttpAdapter()
  .getInstance()
  .addHook('onRequest', (_request, reply, done) => {
    requests += 1;
    void reply.headers({
      'X-RateLimit-Limit': '2000000000',
      'X-RateLimit-Remaining': String(2_000_000_000 - requests),
      'X-RateLimit-Reset': '1795132860',
      'RateLimit-Policy': '"minute";q=2000000000;w=60, "day";q=2000000000;w=86400',
      RateLimit: '"minute";r=1999999999;t=42, "day";r=1999999999;t=51234',
      'X-Request-Id': 'c0ffee00-0000-4000-8000-000000000000',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-cache',
      'X-Stability': 'stable',
      ETag: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
    });
    done();
  });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
