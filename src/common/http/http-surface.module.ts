import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Links } from './links.js';
import { ROUTE_TABLE, type RouteTable } from './surface.js';

/** What controllers and guards know of the HTTP server they run on. */
@Global()
@Module({})
export class HttpSurfaceModule {
  static of(routes: RouteTable, links: Links): DynamicModule {
    return {
      module: HttpSurfaceModule,
      providers: [
        { provide: Links, useValue: links },
        { provide: ROUTE_TABLE, useValue: routes },
      ],
      exports: [Links, ROUTE_TABLE],
    };
  }
}
