import { webAddress } from '../../outside/web-address.js';
import { IMAGE_FILE } from '../facts.js';

/** What links to other servers show below a message (message-formatting.md#outside-pictures). */

const VIDEO_ID = /^[\w-]{1,40}$/;
const YOUTUBE = /^(?:(?:m|www)\.)?youtube(?:-nocookie)?\.com$/;
const WATCH = /^\/watch(?:_popup)?$/;
const VIDEO_PATH = /^\/(?:embed|shorts|v)\/([^/]+)/;

/** A picture elsewhere. */
export interface PictureElsewhere {
  /** Where the picture is. */
  readonly address: string;
  /** The video on YouTube whose picture it is; null for one that was linked itself. */
  readonly video: string | null;
}

/** The picture that a link shows; null where it leads to none. */
export function pictureElsewhere(href: string): PictureElsewhere | null {
  const url = webAddress(href);
  if (!url) return null;
  const video = videoOf(url);
  if (video !== null) return { address: `https://i.ytimg.com/vi/${video}/mqdefault.jpg`, video };
  return IMAGE_FILE.test(url.pathname) ? { address: pictureAddress(url, href), video: null } : null;
}

/** Where a picture is whose address shows a page about it. */
function pictureAddress(url: URL, href: string): string {
  const { hostname, pathname } = url;
  const [, owner = '', repository = '', kind = '', ...path] = pathname.split('/');
  if (hostname === 'github.com' && kind === 'blob') {
    return `https://raw.githubusercontent.com/${owner}/${repository}/${path.join('/')}`;
  }
  if (hostname.endsWith('.wikipedia.org') && pathname.startsWith('/wiki/File:')) {
    return `https://${hostname}${pathname.replace('/wiki/', '/wiki/Special:FilePath/')}`;
  }
  if (hostname === 'dropbox.com' || hostname.endsWith('.dropbox.com')) {
    const picture = new URL(url);
    picture.searchParams.delete('dl');
    picture.searchParams.set('raw', '1');
    return picture.href;
  }
  return href;
}

function videoOf({ hostname, pathname, searchParams }: URL): string | null {
  let id: string | null | undefined = null;
  if (hostname === 'youtu.be') id = pathname.slice(1);
  else if (YOUTUBE.test(hostname)) {
    if (WATCH.test(pathname)) id = searchParams.get('v');
    else id = VIDEO_PATH.exec(pathname)?.[1];
  }
  return id !== null && id !== undefined && VIDEO_ID.test(id) ? id : null;
}

/** Whether an absolute address is one of this server. @param publicUrl its origin */
export function isOnServer(href: string, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return false;
  return URL.canParse(href) && new URL(href).origin === publicUrl;
}
