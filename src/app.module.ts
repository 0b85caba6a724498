import { type DynamicModule, Module, type Type } from '@nestjs/common';
import type { CanActivate } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AUTHENTICATE } from './auth/auth.errors.js';
import { callerKeyOf } from './auth/caller.js';
import { ApiKeyGuard } from './auth/guards/api-key.guard.js';
import { BodyOfCallerGuard } from './auth/guards/body-of-caller.guard.js';
import { RequireApiKeyGuard } from './auth/guards/require-api-key.guard.js';
import { CommonModule } from './platform/common/common.module.js';
import { type Config, ConfigModule } from './platform/config/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { HealthController } from './platform/database/health.controller.js';
import { EventsModule } from './events/events.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { BodyGuard } from './platform/http/requests/body.guard.js';
import { CapacityGuard } from './platform/http/requests/capacity.guard.js';
import { SunsetGuard } from './platform/http/requests/sunset.guard.js';
import {
  NoParametersGuard,
  StrictValidationPipe,
} from './platform/http/requests/validation/strict-validation.pipe.js';
import { ErrorFilter, STATUS_HEADERS } from './platform/http/responses/error.filter.js';
import { IdempotencyModule } from './platform/idempotency/idempotency.module.js';
import { KeysModule } from './keys/keys.module.js';
import { PetsModule } from './pets/pets.module.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { SandboxGuard } from './sandbox/sandbox.guard.js';
import { StoreModule } from './store/store.module.js';
import { TelemetryModule } from './platform/telemetry/telemetry.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The order of findings: every request, matched or not, passes these guards from top to bottom. */
const GUARDS: Type<CanActivate>[] = [
  ApiKeyGuard, // resolves the caller, rejects nothing
  PlanThrottlerGuard, // 429
  RequireApiKeyGuard, // 401, 403, 503
  SandboxGuard, // any, where a caller of the sandbox asks for it
  SunsetGuard, // 410
  BodyOfCallerGuard, // 401 and 403 again, 415, 413, 400
  NoParametersGuard, // 400
  CapacityGuard, // 503
];

@Module({
  imports: [
    CommonModule,
    HttpModule,
    TelemetryModule,
    DatabaseModule,
    IdempotencyModule.forOwner((request) => callerKeyOf(request).id),
    KeysModule,
    PetsModule,
    StoreModule,
    RateLimitModule,
  ],
  controllers: [HealthController],
  providers: [
    BodyGuard,
    ...GUARDS,
    ...GUARDS.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
    { provide: STATUS_HEADERS, useValue: { 401: { [AUTHENTICATE.name]: AUTHENTICATE.example } } },
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_PIPE, useClass: StrictValidationPipe },
  ],
})
export class AppModule {
  /** The application with these settings, and the modules that depend on them. */
  static forRoot(config: Config): DynamicModule {
    return {
      module: AppModule,
      imports: [ConfigModule.forRoot(config), ...(config.events ? [EventsModule, WebhooksModule] : [])],
    };
  }
}
