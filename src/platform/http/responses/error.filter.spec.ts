import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  BadGatewayException,
  BadRequestException,
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  HttpException,
  ImATeapotException,
  NotFoundException,
  Param,
  ParseIntPipe,
  ServiceUnavailableException,
  UnauthorizedException,
  UnprocessableEntityException,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CanActivate,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { fixedError } from '../../common/errors/api-error.js';
import { HTTP_ERRORS } from '../../common/errors/http.errors.js';
import { ErrorFilter, STATUS_HEADERS } from './error.filter.js';
import { Links } from './links.js';

const KEY = 'ask_0000000000000000000000000000000000000000000000000';

/** What a module throws, and what its caller gets. */
const CASES: Record<string, [thrown: unknown, status: number, code: string, message: string]> = {
  'a message': [new NotFoundException('There is no toy 7.'), 404, 'not_found', 'There is no toy 7.'],
  'no message': [new NotFoundException(), 404, 'not_found', 'Not Found'],
  'an empty message': [new HttpException('', 418), 418, 'request_failed', "I'm a Teapot"],
  'a list of messages': [
    new BadRequestException(['a is wrong', 'b is wrong']),
    400,
    'bad_request',
    'a is wrong; b is wrong',
  ],
  'an object with a message': [
    new ConflictException({ message: 'in use', by: 7 }),
    409,
    'conflict',
    'in use',
  ],
  'an object without one': [new ConflictException({ by: 7 }), 409, 'conflict', 'Conflict Exception'],
  'a list of objects': [new ConflictException([{ by: 7 }]), 409, 'conflict', 'Conflict Exception'],
  'a key in its message': [new ForbiddenException(`not ${KEY}`), 403, 'forbidden', 'not ask_…'],
  'a long message': [new ForbiddenException('x'.repeat(2_000)), 403, 'forbidden', `${'x'.repeat(999)}…`],
  unauthorized: [new UnauthorizedException('no card'), 401, 'unauthorized', 'no card'],
  unprocessable: [new UnprocessableEntityException('no sense'), 422, 'unprocessable', 'no sense'],
  'a rare status': [new ImATeapotException('short and stout'), 418, 'request_failed', 'short and stout'],
  'a status without a class': [new HttpException('pay first', 402), 402, 'request_failed', 'pay first'],
  'a failure': [
    new BadGatewayException('secret-host refused'),
    502,
    'internal_error',
    HTTP_ERRORS.internal_error.example,
  ],
  unavailable: [
    new ServiceUnavailableException('secret-host'),
    503,
    'internal_error',
    HTTP_ERRORS.internal_error.example,
  ],
  'no status of an error': [
    new HttpException('odd', 302),
    500,
    'internal_error',
    HTTP_ERRORS.internal_error.example,
  ],
  'any error': [new Error('secret-host'), 500, 'internal_error', HTTP_ERRORS.internal_error.example],
  'an error with a code of its own': [
    fixedError(HTTP_ERRORS.route_not_found),
    404,
    'route_not_found',
    HTTP_ERRORS.route_not_found.example,
  ],
};

const refuse = (): never => {
  throw new ConflictException('not now');
};
const guard: CanActivate = { canActivate: refuse };
const pipe: PipeTransform = { transform: refuse };
const interceptor: NestInterceptor = { intercept: refuse };
const closed: CanActivate = { canActivate: () => false };

@Controller()
class ThrowingController {
  @Get('case/:name')
  throwCase(@Param('name') name: string): never {
    throw CASES[name]?.[0];
  }

  @Get('promise')
  reject(): Promise<never> {
    return Promise.reject(new ConflictException('not now'));
  }

  @Get('guard')
  @UseGuards(guard)
  guarded(): void {
    return;
  }

  @Get('interceptor')
  @UseInterceptors(interceptor)
  intercepted(): void {
    return;
  }

  @Get('pipe/:id')
  @UsePipes(pipe)
  piped(@Param('id') _id: string): void {
    return;
  }

  @Get('closed')
  @UseGuards(closed)
  closed(): void {
    return;
  }

  @Get('integer/:id')
  integer(@Param('id', ParseIntPipe) _id: number): void {
    return;
  }
}

describe('what a module throws', () => {
  let app: NestFastifyApplication;
  const logged: unknown[] = [];
  const logger = { log: () => undefined, warn: () => undefined, error: (line: unknown) => logged.push(line) };

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      controllers: [ThrowingController],
      providers: [
        { provide: Links, useValue: new Links(undefined) },
        { provide: STATUS_HEADERS, useValue: { 401: { 'WWW-Authenticate': 'Bearer' } } },
        { provide: APP_FILTER, useFactory: makeFilter, inject: [Links, STATUS_HEADERS] },
      ],
    })
      .setLogger(logger)
      .compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.init();
  });

  afterAll(() => app.close());

  const get = async (path: string) => {
    const { statusCode, headers, payload } = await app.inject({ method: 'GET', url: encodeURI(path) });
    return { statusCode, headers, body: JSON.parse(payload) as unknown };
  };

  it.each(Object.entries(CASES))('is answered: %s', async (name, [, status, code, message]) => {
    const { statusCode, headers, body } = await get(`/case/${name}`);
    expect({ statusCode, body }).toEqual({ statusCode: status, body: { code, message, status } });
    expect(headers.link).toBe(`</docs/errors#${code}>; rel="help"`);
    expect(headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    expect(headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    const failures = status < 500 ? [] : [expect.objectContaining({ err: CASES[name]?.[0] })];
    expect(logged.splice(0)).toEqual(failures);
  });

  it.each(['/promise', '/guard', '/interceptor', '/pipe/7'])(
    'is answered from everywhere: %s',
    async (path) => {
      expect((await get(path)).body).toEqual({ code: 'conflict', message: 'not now', status: 409 });
    },
  );

  it('may come from Nest itself', async () => {
    expect((await get('/closed')).body).toEqual({
      code: 'forbidden',
      message: 'Forbidden resource',
      status: 403,
    });
    expect((await get('/integer/x')).body).toMatchObject({ code: 'bad_request', status: 400 });
  });
});

function makeFilter(links: Links, headers: object): ErrorFilter {
  return new ErrorFilter(links, headers);
}
