import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many entries; the one unused for longest goes first. Its memory grows with what it
 * holds, where `max` of lru-cache takes all of it at once: 2 MB and 20 ms of a start for 100,000 entries.
 */
export function lruOfEntries<
  K extends object | string | number,
  V extends object | string | number | true,
>(
  entries: number,
  options: Pick<LRUCache.Options<K, V, unknown>, 'dispose' | 'ttl' | 'noUpdateTTL'> = {},
): LRUCache<K, V> {
  return new LRUCache({ ...options, maxSize: entries, sizeCalculation: () => 1 });
}

/** Bounds of a cache. */
export interface CacheLimits {
  readonly entries: number;
  /** Bytes of all values in memory. */
  readonly bytes: number;
}

/**
 * A cache of at most so many entries, and of at most so many bytes as `sizeOf` tells of each; the one unused for
 * longest goes first. A small value counts as a share of the bytes, which bounds the entries without `max`.
 */
export function lruOfBytes<K extends object | string | number, V extends object>(
  limits: CacheLimits,
  sizeOf: (value: V) => number,
): LRUCache<K, V> {
  const share = Math.ceil(limits.bytes / limits.entries);
  return new LRUCache({
    maxSize: limits.bytes,
    sizeCalculation: (value) => Math.max(share, sizeOf(value)),
  });
}

/**
 * Values by text, for lookups of every request: it holds the most recently used `entries` at least, and at most
 * twice as many. A hit costs one lookup and moves nothing, where a list in order of use costs twice that.
 */
export class RecentlyUsed<V extends object> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();

  constructor(private readonly entries: number) {}

  get(key: string): V | undefined {
    const found = this.young.get(key);
    if (found !== undefined) return found;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: V): void {
    if (this.young.size >= this.entries) {
      this.old = this.young;
      this.young = new Map<string, V>();
    }
    this.young.set(key, value);
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }
}
