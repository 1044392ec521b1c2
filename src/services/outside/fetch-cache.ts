import type { LRUCache } from 'lru-cache';

/**
 * How long what came counts as fresh, milliseconds; pages and pictures change seldom, and nobody waits for the newest.
 */
const FRESH_MS = 3_600_000;
/**
 * How long an address that gave nothing is not asked again, milliseconds: a server that comes back is seen in a minute.
 */
const FAILED_MS = 60_000;

/** What came of an address: null where it gave nothing. */
export interface FetchResult<V extends object> {
  readonly value: V | null;
}

/** Dependencies of {@link FetchCache}. */
interface FetchCacheOptions<V extends object> {
  /** Bounded by the caller, who knows what a value takes. */
  readonly results: LRUCache<string, FetchResult<V>>;
  /** @throws Error where the address gives nothing */
  readonly fetch: (address: string) => Promise<V>;
  /**
   * Decides when a fetch runs; at once without.
   * @throws ApiError where it may not, which is not remembered
   */
  readonly schedule?: (
    address: string,
    fetch: () => Promise<FetchResult<V>>,
  ) => Promise<FetchResult<V>>;
  /** Told why an address gave nothing. */
  readonly failed: (reason: string) => void;
}

/** FetchCache fetches each address once for all who ask meanwhile, and remembers what came, also that nothing did. */
export class FetchCache<V extends object> {
  private readonly pending = new Map<string, Promise<FetchResult<V>>>();

  constructor(private readonly options: FetchCacheOptions<V>) {}

  /**
   * What an address gives; null where that is nothing.
   * @throws whatever `schedule` does
   */
  async get(address: string): Promise<V | null> {
    const known = this.options.results.get(address);
    if (known) return known.value;
    let pending = this.pending.get(address);
    if (!pending) {
      pending = this.start(address).finally(() => this.pending.delete(address));
      this.pending.set(address, pending);
    }
    return (await pending).value;
  }

  private start(address: string): Promise<FetchResult<V>> {
    const fetch = (): Promise<FetchResult<V>> => this.fetch(address);
    return this.options.schedule?.(address, fetch) ?? fetch();
  }

  private async fetch(address: string): Promise<FetchResult<V>> {
    const result = { value: await this.fetched(address) };
    this.options.results.set(address, result, { ttl: result.value ? FRESH_MS : FAILED_MS });
    return result;
  }

  private async fetched(address: string): Promise<V | null> {
    try {
      return await this.options.fetch(address);
    } catch (error) {
      this.options.failed(error instanceof Error ? error.message : String(error));
      return null;
    }
  }
}
