import { describe, expect, it } from '@jest/globals';
import { runScript } from '../support/tools/node-script.js';

/** Starts an application of one controller with one route; `decorators` are on the route or on the class. */
const start = (decorators: string, place: 'route' | 'class') =>
  runScript(`
    import { Controller, Get, Module } from '@nestjs/common';
    import { DiscoveryModule, NestFactory } from '@nestjs/core';
    import { SkipThrottle, Throttle } from '@nestjs/throttler';
    import { ThrottleRefusal } from './dist/rate-limit/rate-limit.module.js';
    class CatsController { get() {} }
    const route = [Get(), ...(${place === 'route'} ? [${decorators}] : [])];
    Reflect.decorate(route, CatsController.prototype, 'get', Object.getOwnPropertyDescriptor(CatsController.prototype, 'get'));
    Reflect.decorate([Controller('cats'), ...(${place === 'class'} ? [${decorators}] : [])], CatsController);
    class App {}
    Reflect.decorate(
      [Module({ imports: [DiscoveryModule], providers: [ThrottleRefusal], controllers: [CatsController] })],
      App,
    );
    try {
      const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
      await app.close();
      console.log('started');
    } catch (error) {
      console.log(error.message);
    }
  `);

describe('ThrottleRefusal', () => {
  it.each([
    ['Throttle({ default: { limit: 1, ttl: 1000 } })', 'route', 'CatsController.get'],
    ['Throttle({ minute: { limit: 1 } })', 'class', 'CatsController'],
  ] as const)('refuses %s on the %s at start', async (decorator, place, named) => {
    expect(await start(decorator, place)).toBe(
      `${named} has @Throttle, but limits belong to plans: src/auth/plans.ts\n`,
    );
  });

  it.each(['route', 'class'] as const)('accepts @SkipThrottle() on the %s', async (place) => {
    expect(await start('SkipThrottle()', place)).toBe('started\n');
  });
});
