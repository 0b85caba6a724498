/**
 * A map that holds at most `maxSize` entries and keeps those that were used last. It has two generations: when the
 * recent one is full, it becomes the older one, and the entries of the older one that nothing has read since are
 * dropped. Each call takes constant time; deleting the first key of a large Map does not.
 */
export class RecentMap<Key, Value> {
  private recent = new Map<Key, Value>();
  private older = new Map<Key, Value>();
  private readonly maxGenerationSize: number;

  constructor(maxSize: number) {
    this.maxGenerationSize = Math.max(1, Math.floor(maxSize / 2));
  }

  /** How many entries the two generations hold; an entry that was read again counts in both. */
  get size(): number {
    return this.recent.size + this.older.size;
  }

  get(key: Key): Value | undefined {
    const recent = this.recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    if (this.recent.size >= this.maxGenerationSize && !this.recent.has(key)) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, value);
  }

  delete(key: Key): void {
    this.recent.delete(key);
    this.older.delete(key);
  }

  /** Deletes the entries whose value matches. Reads every entry. */
  deleteWhere(matches: (value: Value) => boolean): void {
    for (const generation of [this.recent, this.older])
      for (const [key, value] of generation) if (matches(value)) generation.delete(key);
  }
}
