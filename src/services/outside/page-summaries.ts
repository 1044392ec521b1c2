import { lruOfEntries } from '../../platform/lru.js';
import type { PageSummary } from '../markdown/media/preview-html.js';
import { FetchCache, type FetchResult } from './fetch-cache.js';
import type { Fetched, GuardedGet, Wanted } from './guarded-get.js';
import { pageFacts } from './page-facts.js';
import type { PictureLinks } from './picture-links.js';
import { webAddress } from './web-address.js';
import { decode } from '../text/decode.js';
import { charsetOfHtml } from '../text/html-charset.js';

/** How much of a page is read, bytes: what it says of itself stands in its head. */
const MAX_BYTES = 256 * 1024;
/** Pages that are remembered, at some 3 KB each. */
const KEPT_PAGES = 1000;

const TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
const WANTED: Wanted = {
  accept: [...TYPES].join(', '),
  takes: (mediaType) => TYPES.has(mediaType),
  maxBytes: MAX_BYTES,
  isPartEnough: true,
};

/** Dependencies of {@link PageSummaries}. */
interface PageSummaryOptions {
  readonly get: GuardedGet;
  readonly links: PictureLinks;
  /** Told why there is nothing to show. */
  readonly failed: (reason: string) => void;
}

/** PageSummaries reads what web pages say of themselves. Each is fetched once for all who ask meanwhile. */
export class PageSummaries {
  private readonly cache: FetchCache<PageSummary>;

  constructor(private readonly options: PageSummaryOptions) {
    this.cache = new FetchCache({
      results: lruOfEntries<string, FetchResult<PageSummary>>(KEPT_PAGES),
      fetch: (address) => this.read(address),
      failed: options.failed,
    });
  }

  /**
   * What the page at an address says of itself; null where it has no picture, as existing clients expect, or cannot be
   * had.
   */
  of(address: string): Promise<PageSummary | null> {
    return this.cache.get(address);
  }

  private async read(address: string): Promise<PageSummary> {
    const page = await this.options.get(address, WANTED);
    const { title, description, image } = await pageFacts(textOf(page));
    const picture = image === '' ? null : webAddress(image, page.url.href);
    if (!picture) throw new Error('The page names no picture');
    return { title, description, src: this.options.links.path(picture.href) };
  }
}

/** The text of a page by the charset of its header, else by that of its head. */
function textOf({ body, charset }: Fetched): string {
  return decode(body, charset || charsetOfHtml(body));
}
