import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { endpointRemoved } from '../errors/common.errors.js';
import { settingsOf } from './surface.js';

/** Ends an operation whose removal date an operator has set into force; until then it goes on answering. */
@Injectable()
export class SunsetGuard implements CanActivate {
  constructor(private readonly isEnforced: boolean) {}

  canActivate(context: ExecutionContext): boolean {
    const { operation } = settingsOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (this.isEnforced && operation?.sunset) throw endpointRemoved(`GET ${operation.sunset.successor}`);
    return true;
  }
}
