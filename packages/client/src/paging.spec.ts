import { describe, expect, it } from '@jest/globals';
import { nextCursorOf, pageOf, walk, type Page } from './paging.js';

describe('nextCursorOf', () => {
  it.each([
    [{ 'x-next-cursor': 'AQ' }, 'AQ'],
    [{ link: '</v1/pets?limit=20&status=sold&cursor=A-_9>; rel="next"' }, 'A-_9'],
    [{ link: '<https://a.test/docs>; rel="help", <https://a.test/v1/pets?cursor=AQ>; rel="next"' }, 'AQ'],
    [{ link: '</v1/pets?cursor=AQ>; rel="prev"' }, undefined],
    [{}, undefined],
  ])('finds the cursor in %j', (headers: Record<string, string>, cursor) => {
    expect(nextCursorOf(new Response(null, { headers }))).toBe(cursor);
  });
});

describe('walk', () => {
  /** Three pages; `requested` records the requested ones. */
  function pages() {
    const requested: (string | undefined)[] = [];
    const list = (cursor: string | undefined): Promise<Page<number>> => {
      requested.push(cursor);
      const number = Number(cursor ?? 1);
      const nextCursor = number < 3 ? String(number + 1) : undefined;
      return Promise.resolve(pageOf([number * 10, number * 10 + 1], { nextCursor, etag: undefined }, list));
    };
    return { list, requested };
  }

  it('returns the items of all pages', async () => {
    const { list, requested } = pages();
    expect(await Array.fromAsync(walk(list, undefined))).toEqual([10, 11, 20, 21, 30, 31]);
    expect(requested).toEqual([undefined, '2', '3']);
  });

  it('starts at the given cursor', async () => {
    expect(await Array.fromAsync(walk(pages().list, '3'))).toEqual([30, 31]);
  });

  it('reads one page at a time', async () => {
    const { list, requested } = pages();
    const second = await (await list(undefined)).next();
    expect(second?.items).toEqual([20, 21]);
    expect(requested).toEqual([undefined, '2']);
    expect(await (await second?.next())?.next()).toBeUndefined();
  });

  it('requests a page only when it is read', async () => {
    const { list, requested } = pages();
    for await (const item of walk(list, undefined)) if (item === 11) break;
    expect(requested).toEqual([undefined]);
  });
});
