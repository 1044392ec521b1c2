import {
  type AttachmentDocument,
  fileBytes,
  fileDownload,
  fileThumbnail,
  temporaryFile,
} from '../../../schemas/uploads/uploads.js';
import { fileNotFound, rangeNotSatisfiable } from '../../errors/index.js';
import { attachmentKey, sanitizedName } from '../../organization/uploads/attachments.js';
import { thumbnailOf } from '../../organization/uploads/media.js';
import type { Organization } from '../../organization/state/organization.js';
import { fileAt } from '../../resources/uploads/uploads.js';
import { AlteredFileError, type BlobStore, type OpenBlob } from '../../services/blob-store.js';
import { FileChecks, type FileBytes } from '../../services/file-checksum.js';
import { DamagedFileError } from '../../store/port.js';
import type { FileLinks } from '../../services/auth/file-links.js';
import { preconditionsOf, entityTag, isUnmodified, requestedRange } from './conditional.js';
import type { Exchange } from '../reply/exchange.js';
import type { HttpServer, SpecialRoute } from '../server.js';
import { avatarRedirect } from '../../../schemas/users/avatars.js';
import { avatarUrl, type AvatarSize } from '../../organization/views/user-view.js';
import { userNamed } from '../../resources/users/avatars.js';

/** Dependencies of the file routes. */
interface UploadRouteParts {
  readonly org: Organization;
  readonly blobs: BlobStore;
  readonly fileLinks: FileLinks;
  readonly server: Pick<HttpServer, 'fail'>;
}

/**
 * Media types that browsers may show inline, by the extension of the name; none of them can run scripts.
 * Everything else is downloaded, whatever the uploader declared.
 */
const SHOWN_TYPES: Readonly<Record<string, string>> = {
  apng: 'image/apng',
  avif: 'image/avif',
  flac: 'audio/flac',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
};

/** Routes of uploaded files, at the root (endpoints-files.md#files). */
export function uploadRoutes(parts: UploadRouteParts): SpecialRoute[] {
  const { org, fileLinks, server } = parts;
  const checks = new FileChecks();
  const open = (file: StoredFile) => openIntact(parts.blobs, checks, file);
  const giveStored = (exchange: Exchange, file: StoredFile, save: boolean): void => {
    giveFile(open, exchange, file, save).catch((error: unknown) => server.fail(exchange, error));
  };
  const give = (exchange: Exchange, attachment: AttachmentDocument, save: boolean): void => {
    const { id, name, size, sha256 } = attachment;
    const subject = `file of attachment:${id}`;
    giveStored(exchange, { key: attachmentKey(attachment), subject, name, size, sha256 }, save);
  };
  const named = (endpoint: typeof fileBytes | typeof fileDownload, save: boolean) => ({
    endpoint,
    atRoot: true,
    takesSession: true,
    respond: ((exchange, { caller, params }) => {
      const { realm_id, file_path } = params as { realm_id: number; file_path: string };
      give(exchange, fileAt(org, caller!.user, realm_id, file_path), save);
    }) satisfies SpecialRoute['respond'],
  });
  return [
    named(fileBytes, false),
    named(fileDownload, true),
    {
      endpoint: fileThumbnail,
      atRoot: true,
      takesSession: true,
      respond: (exchange, { caller, params }) => {
        const { realm_id, file_path } = params as { realm_id: number; file_path: string };
        const end = file_path.lastIndexOf('/');
        const attachment = fileAt(
          org,
          caller!.user,
          realm_id,
          file_path.slice(0, Math.max(0, end)),
        );
        const name = file_path.slice(end + 1);
        const thumbnail = thumbnailOf(attachment, name);
        if (!thumbnail) throw fileNotFound();
        const subject = `thumbnail of attachment:${attachment.id}`;
        giveStored(exchange, { ...thumbnail, subject, name }, false);
      },
    },
    {
      endpoint: temporaryFile,
      atRoot: true,
      respond: (exchange, { params }) => {
        const id = fileLinks.fileOf(String(params.token), org.now());
        const attachment = id === undefined ? undefined : org.attachments.get(id);
        if (!attachment) throw fileNotFound();
        give(exchange, attachment, false);
      },
    },
  ];
}

/** A file in the store of files, and the name it has for readers. */
interface StoredFile extends FileBytes {
  readonly name: string;
  /** What an operator calls it. */
  readonly subject: string;
}

/** @throws ApiError 404 where there is no such file. @throws DamagedError where it is not what was stored */
async function openIntact(
  blobs: BlobStore,
  checks: FileChecks,
  stored: StoredFile,
): Promise<OpenBlob> {
  let file: OpenBlob | undefined;
  try {
    file = await blobs.open(stored.key, stored.size);
    if (!file) throw fileNotFound();
    await checks.assertIntact(file, stored);
    return file;
  } catch (error) {
    await file?.close();
    if (!(error instanceof AlteredFileError)) throw error;
    throw new DamagedFileError(stored.subject, error.message, { cause: error });
  }
}

async function giveFile(
  open: (file: StoredFile) => Promise<OpenBlob>,
  exchange: Exchange,
  stored: StoredFile,
  save: boolean,
): Promise<void> {
  const { key, name, size } = stored;
  const type = SHOWN_TYPES[/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
  const headers = {
    'Content-Disposition': disposition(name, save || type === undefined),
    // Defence in depth: a file shown as a page may not load or run anything.
    'Content-Security-Policy':
      "default-src 'none'; img-src 'self'; media-src 'self'; frame-ancestors 'none'",
    'Cache-Control': 'private, max-age=3600',
    // The content of a key never changes.
    ETag: entityTag(key),
    'Accept-Ranges': 'bytes',
  };
  // Before the first wait: the native request ends with it.
  const conditions = preconditionsOf(exchange);
  const closed = exchange.holdFile();
  let file: OpenBlob | undefined;
  try {
    file = await open(stored);
    const opened = file;
    if (isUnmodified(conditions, headers.ETag)) {
      exchange.replyEmpty(headers, 304);
      return;
    }
    const mediaType = type ?? 'application/octet-stream';
    const range = requestedRange(conditions, headers.ETag, size);
    if (range === 'unsatisfiable') throw rangeNotSatisfiable(size);
    const { first, last } = range ?? { first: 0, last: size - 1 };
    await exchange.replyChunks({
      ...(range
        ? {
            status: 206,
            headers: { ...headers, 'Content-Range': `bytes ${first}-${last}/${size}` },
          }
        : { headers }),
      mediaType,
      size: last - first + 1,
      read: (offset) => opened.read(first + offset, last + 1),
    });
  } finally {
    await file?.close();
    closed();
  }
}

/** The `Content-Disposition` header with the name in two forms (RFC 6266), ASCII and UTF-8. */
function disposition(name: string, save: boolean): string {
  const plain = sanitizedName(name).replace(/[^\x20-\x7e]/g, '_');
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${save ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${full}`;
}

/** `GET /avatar/{id or email}[/medium]`, at the root (endpoints-users.md#read-users). */
export function avatarRoutes(org: Organization): SpecialRoute[] {
  return (['normal', 'medium'] as const).map((size) => redirect(org, size));
}

function redirect(org: Organization, size: AvatarSize): SpecialRoute {
  return {
    endpoint: avatarRedirect[size],
    atRoot: true,
    takesSession: true,
    respond: (exchange, { caller, params }) => {
      const user = userNamed(org, caller!.user, String(params.user_id_or_email));
      const headers = { Location: avatarUrl(org, user, size), 'Cache-Control': 'no-cache' };
      exchange.replyRaw(302, 'text/plain', headers, '');
    },
  };
}
