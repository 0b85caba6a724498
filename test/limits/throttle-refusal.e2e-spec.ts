import { expect, it } from '@jest/globals';
import { runScript } from '../support/tools/node-script.js';

const REFUSED = 'has @Throttle, but limits belong to plans: src/auth/plans.ts';
/** Decorators of a controller's one route or of its class, and the outcome of the start of its application. */
const CASES = [
  ['Throttle({ default: { limit: 1, ttl: 1000 } })', 'route', `CatsController.get ${REFUSED}`],
  ['Throttle({ minute: { limit: 1 } })', 'class', `CatsController ${REFUSED}`],
  ['SkipThrottle()', 'route', 'started'],
  ['SkipThrottle()', 'class', 'started'],
];

it('ThrottleRefusal refuses @Throttle at start, and accepts @SkipThrottle()', async () => {
  // One process for all cases, because it takes long to load NestJS.
  const outcomes = await runScript(`
    import { Controller, Get, Module } from '@nestjs/common';
    import { DiscoveryModule, NestFactory } from '@nestjs/core';
    import { SkipThrottle, Throttle } from '@nestjs/throttler';
    import { ThrottleRefusal } from './dist/rate-limit/rate-limit.module.js';
    async function start(decorator, place) {
      class CatsController { get() {} }
      const get = Object.getOwnPropertyDescriptor(CatsController.prototype, 'get');
      Reflect.decorate([Get(), ...(place === 'route' ? [decorator] : [])], CatsController.prototype, 'get', get);
      Reflect.decorate([Controller('cats'), ...(place === 'class' ? [decorator] : [])], CatsController);
      class App {}
      Reflect.decorate(
        [Module({ imports: [DiscoveryModule], providers: [ThrottleRefusal], controllers: [CatsController] })],
        App,
      );
      const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
      await app.close();
      return 'started';
    }
    for (const [decorator, place] of [${CASES.map(([decorator, place]) => `[${decorator}, '${place}']`).join()}])
      console.log(await start(decorator, place).catch(({ message }) => message));
  `);
  expect(outcomes.trim().split('\n')).toEqual(CASES.map(([, , outcome]) => outcome));
});
