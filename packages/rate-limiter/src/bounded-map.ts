import { LRUCache } from 'lru-cache';

/** A map that drops the entry not used for the longest time when it has `entries`. With `max`, lru-cache would allocate all of them at once. */
export function boundedMap<Value extends object | number>(entries: number): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: entries, sizeCalculation: () => 1 });
}
