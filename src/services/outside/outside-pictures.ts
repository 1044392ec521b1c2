import { FairLimiter } from '../../turns/fair-limiter.js';
import { lruOfBytes } from '../../platform/lru.js';
import { FetchCache, type FetchResult } from './fetch-cache.js';
import type { GuardedGet, Wanted } from './guarded-get.js';
import { OUTSIDE_PATH, type PictureLinks } from './picture-links.js';

/** Largest picture, bytes; the usual bound of such proxies. */
const MAX_BYTES = 5 * 1024 * 1024;
/** What is kept in memory: some 300 pictures of the usual size; addresses without a picture, too. */
const CACHE = { entries: 2000, bytes: 32 * 1024 * 1024 };
/**
 * Pictures that are fetched at once take up to 5 MiB each while they come. A slow server delays its own pictures first.
 */
const LIMITS = { concurrency: 8, maxWaiting: 100, maxWaitMs: 8000 };

/** Media types that browsers show without running anything of them: no SVG. */
const TYPES: ReadonlySet<string> = new Set([
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

const WANTED: Wanted = {
  accept: [...TYPES].join(', '),
  takes: (mediaType) => TYPES.has(mediaType),
  maxBytes: MAX_BYTES,
  isPartEnough: false,
};

/** A picture as it is served. */
export interface OutsidePicture {
  readonly body: Buffer;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly contentSecurityPolicy: string;
}

/** Dependencies of {@link OutsidePictures}. */
interface OutsidePictureOptions {
  readonly get: GuardedGet;
  readonly links: PictureLinks;
  /** Told why there is no picture. */
  readonly failed: (reason: string) => void;
}

/**
 * OutsidePictures gives out pictures of other servers by signed paths. Each is fetched once for all who ask meanwhile.
 */
export class OutsidePictures {
  private readonly limiter = new FairLimiter(LIMITS, 'Too many pictures are being fetched');
  private readonly cache: FetchCache<OutsidePicture>;

  constructor(private readonly options: OutsidePictureOptions) {
    this.cache = new FetchCache({
      results: lruOfBytes<string, FetchResult<OutsidePicture>>(
        CACHE,
        ({ value }) => value?.body.length ?? 0,
      ),
      fetch: (address) => this.fetch(address),
      schedule: (address, fetch) =>
        this.limiter.run({ source: new URL(address).hostname, account: address }, fetch),
      failed: options.failed,
    });
  }

  /**
   * The picture at a path of this server, which resolves to undefined where the path is not signed or leads to no
   * picture.
   * @returns undefined for any other path
   * @throws ApiError 503 when too many wait
   */
  at(path: string): Promise<OutsidePicture | undefined> | undefined {
    if (!path.startsWith(OUTSIDE_PATH)) return undefined;
    const address = this.options.links.addressOf(path);
    return address === undefined ? Promise.resolve(undefined) : this.picture(address);
  }

  private async picture(address: string): Promise<OutsidePicture | undefined> {
    return (await this.cache.get(address)) ?? undefined;
  }

  private async fetch(address: string): Promise<OutsidePicture> {
    const { body, mediaType } = await this.options.get(address, WANTED);
    return {
      body,
      contentType: mediaType,
      cacheControl: 'private, max-age=86400',
      // Defence in depth: opened as a page of its own it may not load or run anything.
      contentSecurityPolicy: "default-src 'none'; sandbox; frame-ancestors 'none'",
    };
  }
}
