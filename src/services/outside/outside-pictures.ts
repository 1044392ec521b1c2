import { FairLimiter } from '../fair-limiter.js';
import { lruOfBytes } from '../lru.js';
import type { GuardedGet, Wanted } from './guarded-get.js';
import { OUTSIDE_PATH, type PictureLinks } from './picture-links.js';

/** Largest picture, bytes; the usual bound of such proxies. */
const MAX_BYTES = 5 * 1024 * 1024;
/** What is kept in memory: some 300 pictures of the usual size; addresses without a picture, too. */
const CACHE = { entries: 2000, bytes: 32 * 1024 * 1024 };
/** How long a picture counts as fresh, milliseconds. */
const FRESH_MS = 3_600_000;
/** How long an address that gave no picture is not asked again, milliseconds. */
const FAILED_MS = 60_000;
/** Pictures that are fetched at once take up to 5 MiB each while they come. A slow server delays its own pictures first. */
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

/** What came of an address: null where that is no picture. */
interface Kept {
  readonly picture: OutsidePicture | null;
}

/** Dependencies of {@link OutsidePictures}. */
interface OutsidePictureOptions {
  readonly get: GuardedGet;
  readonly links: PictureLinks;
  /** Told why there is no picture. */
  readonly failed: (reason: string) => void;
}

/** OutsidePictures gives out pictures of other servers by signed paths. Each is fetched once for all who ask meanwhile. */
export class OutsidePictures {
  private readonly kept = lruOfBytes<string, Kept>(
    CACHE,
    ({ picture }) => picture?.body.length ?? 0,
  );
  private readonly coming = new Map<string, Promise<Kept>>();
  private readonly limiter = new FairLimiter(LIMITS, 'Too many pictures are being fetched');

  constructor(private readonly options: OutsidePictureOptions) {}

  /**
   * The picture at a path of this server, which resolves to undefined where the path is not signed or leads to no picture.
   * @returns undefined for any other path
   * @throws ApiError 503 when too many wait
   */
  at(path: string): Promise<OutsidePicture | undefined> | undefined {
    if (!path.startsWith(OUTSIDE_PATH)) return undefined;
    const address = this.options.links.addressOf(path);
    return address === undefined ? Promise.resolve(undefined) : this.picture(address);
  }

  private async picture(address: string): Promise<OutsidePicture | undefined> {
    let kept = this.kept.get(address);
    if (!kept) {
      let coming = this.coming.get(address);
      if (!coming) {
        const claimant = { source: new URL(address).hostname, account: address };
        coming = this.limiter.run(claimant, () => this.fetch(address));
        this.coming.set(address, coming);
        const done = (): void => void this.coming.delete(address);
        coming.then(done, done);
      }
      kept = await coming;
    }
    return kept.picture ?? undefined;
  }

  private async fetch(address: string): Promise<Kept> {
    const kept = { picture: await this.fetched(address) };
    this.kept.set(address, kept, { ttl: kept.picture ? FRESH_MS : FAILED_MS });
    return kept;
  }

  private async fetched(address: string): Promise<OutsidePicture | null> {
    try {
      const { body, mediaType } = await this.options.get(address, WANTED);
      return {
        body,
        contentType: mediaType,
        cacheControl: 'private, max-age=86400',
        // Defence in depth: opened as a page of its own it may not load or run anything.
        contentSecurityPolicy: "default-src 'none'; sandbox; frame-ancestors 'none'",
      };
    } catch (error) {
      this.options.failed(error instanceof Error ? error.message : String(error));
      return null;
    }
  }
}
