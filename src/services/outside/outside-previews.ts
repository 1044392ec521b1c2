import { guardedGet, type GuardedGet } from './guarded-get.js';
import { OutsidePictures } from './outside-pictures.js';
import { PageSummaries } from './page-summaries.js';
import { PictureLinks } from './picture-links.js';
import { ClosedAddressError, ReachableAddresses } from './reachable-addresses.js';

/** What is fetched. */
type FetchKind = 'picture' | 'page';

/** How often something was fetched, or could not be, since the process began. */
export interface FetchCount {
  readonly kind: FetchKind;
  /** Refused: the address is one that the server does not go to. */
  readonly outcome: 'fetched' | 'failed' | 'refused';
  readonly count: number;
}

/** What messages show of other servers. */
export interface OutsidePreviews {
  readonly links: PictureLinks;
  readonly pictures: OutsidePictures;
  /** Null where only pictures are shown. */
  readonly pages: PageSummaries | null;
  /** For metrics. */
  readonly fetches: () => readonly FetchCount[];
}

/** How {@link outsidePreviews} is set up. */
interface OutsidePreviewOptions {
  /** Addresses and networks in CIDR form that are asked though they are not public. */
  readonly targets: readonly string[];
  /** Whether web pages are asked, too. */
  readonly asksPages: boolean;
  /** Base URL of this server. */
  readonly url: string;
  /** Signs the paths of pictures. */
  readonly secret: Buffer;
  /** Told why something is not shown. */
  readonly failed: (reason: string) => void;
}

/** Puts together what fetches from other servers what messages show of them. */
export function outsidePreviews(options: OutsidePreviewOptions): OutsidePreviews {
  const { targets, asksPages, url, secret, failed } = options;
  const get = guardedGet({ addresses: new ReachableAddresses(targets), ownOrigin: url });
  const links = new PictureLinks(secret);
  const ofPictures = new CountedGet('picture', get);
  const ofPages = new CountedGet('page', get);
  return {
    links,
    pictures: new OutsidePictures({ get: ofPictures.get, links, failed }),
    pages: asksPages ? new PageSummaries({ get: ofPages.get, links, failed }) : null,
    fetches: () => [...ofPictures.counts(), ...ofPages.counts()],
  };
}

/** Counts what comes of fetches. */
class CountedGet {
  private fetched = 0;
  private failed = 0;
  private refused = 0;

  constructor(
    private readonly kind: FetchKind,
    private readonly plain: GuardedGet,
  ) {}

  readonly get: GuardedGet = async (address, wanted) => {
    try {
      const found = await this.plain(address, wanted);
      this.fetched += 1;
      return found;
    } catch (error) {
      if (error instanceof ClosedAddressError) this.refused += 1;
      else this.failed += 1;
      throw error;
    }
  };

  counts(): FetchCount[] {
    const { kind, fetched, failed, refused } = this;
    return [
      { kind, outcome: 'fetched', count: fetched },
      { kind, outcome: 'failed', count: failed },
      { kind, outcome: 'refused', count: refused },
    ];
  }
}
