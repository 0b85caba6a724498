import { expect, test } from '@jest/globals';
import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CONFIG, type Config } from './config.js';
import { ConfigModule } from './config.module.js';
import { loadConfig } from './load-config.js';

@Injectable()
class Reader {
  constructor(@Inject(CONFIG) readonly config: Config) {}
}

@Module({ providers: [Reader] })
class FeatureModule {}

@Module({})
class RootModule {}

test('a module without an import of the configuration module gets the same object', async () => {
  Logger.overrideLogger(false);
  const config = loadConfig({ PORT: '8080' });
  const root = { module: RootModule, imports: [ConfigModule.of(config), FeatureModule] };
  const context = await NestFactory.createApplicationContext(root);
  expect(context.get(Reader, { strict: false }).config).toBe(config);
  await context.close();
});
