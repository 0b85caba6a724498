import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { BodyGuard } from '../../platform/http/requests/body.guard.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { RequireApiKeyGuard } from './require-api-key.guard.js';

/**
 * Reads the body, and then checks the caller again: a key may be revoked, expire or lose its access while a body arrives, which takes up to
 * 30 s. A look-up that is still trusted (KeyLookup) serves the second check too. The request stays counted for the key that it began with.
 */
@Injectable()
export class BodyOfCallerGuard implements CanActivate {
  constructor(
    private readonly body: BodyGuard,
    private readonly callers: ApiKeyGuard,
    private readonly rights: RequireApiKeyGuard,
  ) {}

  /** @throws ApiError those of RequireApiKeyGuard, then those of BodyGuard */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const reading = this.body.canActivate(context);
    if (!(reading instanceof Promise)) return reading;
    // Also after a failure, because 401 and 403 come before whatever is wrong with the body.
    return reading.finally(() => this.checkAgain(context));
  }

  private async checkAgain(context: ExecutionContext): Promise<void> {
    await this.callers.canActivate(context);
    this.rights.canActivate(context);
  }
}
