import { expect, it } from '@jest/globals';
import type { JsonBody } from '../common/json.js';
import type { JsonPage, Page } from '../common/paging.js';
import { Idempotent } from './idempotency.js';

class Dto {
  readonly id = 1;
}

const never = () => new Promise<never>(() => undefined);

it('a handler keeps its name, and only one that returns a DTO or a list of DTOs compiles', () => {
  class Handlers {
    @Idempotent()
    dto(_petId: bigint): Promise<Dto> {
      return never();
    }
    @Idempotent()
    list(): Promise<Dto[]> {
      return never();
    }
    // @ts-expect-error It would be stored as an object.
    @Idempotent()
    json(): Promise<JsonBody> {
      return never();
    }
    // @ts-expect-error It would be stored as an object.
    @Idempotent()
    dtoOrJson(): Promise<Dto | JsonBody> {
      return never();
    }
    // @ts-expect-error It would be stored without its headers.
    @Idempotent()
    page(): Promise<Page<Dto>> {
      return never();
    }
    // @ts-expect-error It would be stored without its headers.
    @Idempotent()
    jsonPage(): Promise<JsonPage> {
      return never();
    }
    // @ts-expect-error There would be nothing to store.
    @Idempotent()
    nothing(): Promise<void> {
      return never();
    }
  }
  expect(Handlers.prototype).toHaveProperty('dto.name', 'dto');
  expect(Handlers.prototype).toHaveProperty('list.name', 'list');
});
