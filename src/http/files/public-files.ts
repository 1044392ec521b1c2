import { avatarKeys } from '../../organization/users/avatar-change.js';
import { customEmojiKey } from '../../organization/views/custom-emoji-view.js';
import { EMOJI_PATH } from '../../organization/views/custom-emoji-view.js';
import { REALM_IMAGES_PATH, realmImageKey } from '../../organization/realm/realm-images.js';
import { AVATAR_PATH } from '../../organization/views/user-view.js';
import type { BlobStore } from '../../services/blob-store.js';
import { DESKTOP_FILES } from '../../resources/pages/desktop-login.js';
import { PAGES_CSS } from '../../resources/pages/layout.js';
import { WEB_PATH, webFile } from '../../services/web-pages.js';
import { PLACEHOLDER_PICTURE } from '../../services/markdown/media/upload-html.js';
import { emojiCodes, emojiData, EXTRA_EMOJI_PATH } from '../../services/text/emoji.js';
import { identicon } from '../../services/pictures/identicon.js';
import { AVATAR_PIXELS } from '../../services/pictures/job.js';
import { contractPages } from './contract-pages.js';
import { FOREVER, type PublicFile } from './public-file.js';

const ICON_COLOUR = '#3b7c5c';

const squareSvg = (colour: string): string =>
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" ' +
  `rx="12" fill="${colour}"/><path d="M14 18h36v22H30l-10 9v-9h-6z" fill="#fff"/></svg>`;

const square = (colour: string): PublicFile => ({
  contentType: 'image/svg+xml',
  body: squareSvg(colour),
});

/** The icon as PNG, for clients that cannot show SVG. */
const ICON_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAGQAAABkBAMAAACCzIhnAAAAMFBMVEVMaXE6fFs6fFw8fFs6fFs6e1w7fFw7fFz///9U' +
    'jHDm7+qkwrPO3taHr5vY5d+40MRZh5cAAAAAB3RSTlMAf+QTO7I/eEMnVAAAAAlwSFlzAAALEwAACxMBAJqcGAAAARBJ' +
    'REFUWMPt2D0OgkAQBeD1J9QmxtgaLGjVE3AFK1s7a4lmQsIBjGDNGfQIchDOYDwArQKrwURh3xQUZl7Nl92l2Z2nVBFr' +
    'ZFND7OVaVTJ3yCDesCLIMG9jOabEe+1tTMbZlqJDQAboInoZi6Dkp1lgZIruq9hZj8DMsP9V/rMuSiZqg5Idevr8/CuU' +
    '7JWDEo9DCI6QfyT+pSbxd3KoiRAhQoQIEdIiSZ656k/uyWfi33dlUIoIuF41yWASEkxSmJwIJilMzoSSYwyTG6EkIphk' +
    'MAnh91iQwsSXF2wTaWdKYoxvjCGRMYoyBl7GWM0Y3hkVAaeIAOsOl1eqcKobRkGE1FAuv+ziVGpK9U2KO72rB5wVHiU3' +
    'ckBpAAAAAElFTkSuQmCC',
  'base64',
);

/** What turns where a picture is still being made, in clients that know nothing of that. */
const LOADING: PublicFile = {
  contentType: 'image/svg+xml',
  body:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><circle cx="32" cy="32" r="24" fill="none" ' +
    'stroke="#000" stroke-width="6" stroke-dasharray="110 41"><animateTransform attributeName="transform" ' +
    'type="rotate" from="0 32 32" to="360 32 32" dur="1s" repeatCount="indefinite"/></circle></svg>',
};

/** Avatars: uploaded ones under an unguessable name, generated ones by user id. */
const UPLOADED = /^([0-9a-f]{32})(-medium)?\.png$/;
const GENERATED = /^identicon\/(\d{1,15})(-medium)?\.png$/;
/** Custom emoji; animated ones also have a still picture. */
const EMOJI_FILE = /^[0-9a-f]{32}(?:\.gif|(?:-still)?\.png)$/;
/** Uploaded pictures of the organization. */
const REALM_IMAGE = /^([0-9a-f]{32})\.png$/;

/** Uploaded pictures are small, and read as a whole. */
type Pictures = Pick<BlobStore, 'get'>;

async function pictureOf(
  blobs: Pictures,
  isUser: (id: number) => boolean,
  name: string,
): Promise<PublicFile | undefined> {
  const [, file, uploadedSize] = UPLOADED.exec(name) ?? [];
  const [, userId, generatedSize] = GENERATED.exec(name) ?? [];
  const size = (uploadedSize ?? generatedSize) === undefined ? 'normal' : 'medium';
  let body: Buffer | undefined;
  if (file !== undefined) body = await blobs.get(avatarKeys(file)[size]);
  // No avatar is generated for ids without an account, but for 0, the picture of users whom one may not see.
  else if (userId !== undefined && (Number(userId) === 0 || isUser(Number(userId)))) {
    body = identicon(String(Number(userId)), AVATAR_PIXELS[size]);
  }
  return body && { contentType: 'image/png', cacheControl: FOREVER, body };
}

async function emojiPicture(blobs: Pictures, name: string): Promise<PublicFile | undefined> {
  if (!EMOJI_FILE.test(name)) return undefined;
  const body = await blobs.get(customEmojiKey(name));
  const contentType = name.endsWith('.gif') ? 'image/gif' : 'image/png';
  return body && { contentType, cacheControl: FOREVER, body };
}

async function realmPicture(blobs: Pictures, name: string): Promise<PublicFile | undefined> {
  const file = REALM_IMAGE.exec(name)?.[1];
  const body = file === undefined ? undefined : await blobs.get(realmImageKey(file));
  return body && { contentType: 'image/png', cacheControl: FOREVER, body };
}

/** Files of the web pages; the same object each time, so that each is compressed once. */
const webFiles = new Map<string, Promise<PublicFile>>();

function webPublicFile(name: string): Promise<PublicFile> | undefined {
  const known = webFiles.get(name);
  if (known) return known;
  const file = webFile(name)?.then((one) => ({ ...one, cacheControl: FOREVER }));
  if (file) webFiles.set(name, file);
  return file;
}

/** Tables of emoji by path: where `server_emoji_data_url` leads, and an older one (register-realm.md#emoji-files). */
const EMOJI_TABLES: Readonly<Record<string, () => object>> = {
  '/static/emoji.json': emojiData,
  '/static/generated/emoji/emoji_codes.json': emojiCodes,
};
const emojiFiles = new Map<string, PublicFile>();

/** A table of emoji; the same object each time, so that it is made and compressed once. */
function emojiTable(path: string): PublicFile | undefined {
  if (!Object.hasOwn(EMOJI_TABLES, path)) return undefined;
  const known = emojiFiles.get(path);
  if (known) return known;
  const body = JSON.stringify(EMOJI_TABLES[path]!());
  const file = { contentType: 'application/json', body };
  emojiFiles.set(path, file);
  return file;
}

/**
 * Serves the public files outside the API: the published contract, files of the web pages, avatars, default pictures of
 * the organization, and what clients need to draw emoji.
 * @param isUser whether an account has this id, active or not
 * @param outside the picture of another server at a path; undefined where no picture is served there
 */
export function publicFiles(
  blobs: Pictures,
  url: () => string,
  isUser: (id: number) => boolean,
  outside: (path: string) => Promise<PublicFile | undefined> | undefined = () => undefined,
): (path: string) => PublicFile | Promise<PublicFile | undefined> | undefined {
  const files = new Map<string, PublicFile>([
    ['/static/icon.svg', square(ICON_COLOUR)],
    ['/static/icon.png', { contentType: 'image/png', body: ICON_PNG }],
    // Parley's own sign: that of the service which clients name the emoji after is not ours to show.
    [EXTRA_EMOJI_PATH, { contentType: 'image/png', body: ICON_PNG }],
    ['/static/logo.svg', square(ICON_COLOUR)],
    ['/static/night-logo.svg', square('#5fae87')],
    [PLACEHOLDER_PICTURE, LOADING],
    ...DESKTOP_FILES.map(([path, body]): [string, PublicFile] => [
      path,
      { contentType: 'text/javascript; charset=utf-8', body },
    ]),
    ['/static/pages.css', { contentType: 'text/css; charset=utf-8', body: PAGES_CSS }],
  ]);
  const contract = contractPages(url);
  return (path) => {
    if (path.startsWith(WEB_PATH)) return webPublicFile(path.slice(WEB_PATH.length));
    if (path.startsWith(EMOJI_PATH)) return emojiPicture(blobs, path.slice(EMOJI_PATH.length));
    if (path.startsWith(REALM_IMAGES_PATH)) {
      return realmPicture(blobs, path.slice(REALM_IMAGES_PATH.length));
    }
    return path.startsWith(AVATAR_PATH)
      ? pictureOf(blobs, isUser, path.slice(AVATAR_PATH.length))
      : (files.get(path) ?? emojiTable(path) ?? outside(path) ?? contract(path));
  };
}
