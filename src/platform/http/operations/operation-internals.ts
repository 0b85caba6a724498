import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/**
 * Whether a handler has a `@Query()` or a `@Body()` argument. @nestjs/common 12.5 keeps a handler's decorated arguments as `type:index` and exports
 * neither the key nor the types. Argument decorators run before method decorators.
 */
export function argumentsOf(
  controller: object,
  handler: string | symbol,
): { hasQuery: boolean; hasBody: boolean } {
  const decorated = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as object | undefined;
  const has = (type: RouteParamtypes) =>
    Object.keys(decorated ?? {}).some((key) => key.startsWith(`${String(type)}:`));
  return { hasQuery: has(RouteParamtypes.QUERY), hasBody: has(RouteParamtypes.BODY) };
}
