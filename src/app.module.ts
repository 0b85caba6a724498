import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { IdentifyCallerGuard } from './auth/identify-caller.guard.js';
import { RequireApiKeyGuard } from './auth/require-api-key.guard.js';
import { CommonModule } from './common/common.module.js';
import { ErrorFilter } from './common/errors/error.filter.js';
import { ADMISSION_STEPS, type AdmissionStep } from './common/http/admission.js';
import { HttpSurfaceModule } from './common/http/http-surface.module.js';
import type { Links } from './common/http/links.js';
import { SunsetGuard } from './common/http/sunset.guard.js';
import type { RouteTable } from './common/http/surface.js';
import { StrictValidationPipe } from './common/validation/strict-validation.pipe.js';
import { CONFIG, type Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { TakeTurnsGuard } from './database/take-turns.guard.js';
import { HealthModule } from './health/health.module.js';
import { PetsModule } from './pets/pets.module.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { StoreModule } from './store/store.module.js';
import { MetricsModule } from './telemetry/metrics.module.js';
import { tracedStep } from './telemetry/request-traces.js';
import { TracesModule } from './telemetry/traces.module.js';
import { Traces } from './telemetry/traces.js';

/** The order in which a request is questioned. The error filter asks the same where no guard ran. */
const ADMISSION: Type<AdmissionStep>[] = [IdentifyCallerGuard, PlanThrottlerGuard, RequireApiKeyGuard];

@Module({})
export class AppModule {
  /** `routes`: the table of the HTTP server this application will run on. */
  static of(config: Config, routes: RouteTable, links: Links): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        CommonModule,
        HttpSurfaceModule.of(routes, links),
        MetricsModule.forService(config),
        TracesModule.forService(config),
        DatabaseModule,
        RateLimitModule,
        PetsModule,
        StoreModule,
        HealthModule,
      ],
      providers: [
        ...ADMISSION,
        ...ADMISSION.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
        {
          provide: ADMISSION_STEPS,
          useFactory: (traces: Traces | null, ...steps: AdmissionStep[]) =>
            traces ? steps.map((step) => tracedStep(step, traces)) : steps,
          inject: [Traces, ...ADMISSION],
        },
        {
          provide: APP_GUARD,
          useFactory: ({ enforceSunset }: Config) => new SunsetGuard(enforceSunset),
          inject: [CONFIG],
        },
        TakeTurnsGuard,
        { provide: APP_GUARD, useExisting: TakeTurnsGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: StrictValidationPipe },
      ],
    };
  }
}
