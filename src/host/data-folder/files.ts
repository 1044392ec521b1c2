import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import type { FileStore } from '../../services/blob-store.js';
import type { S3BlobStore } from '../../services/s3/s3-blob-store.js';
import { FolderBlobStore } from '../../services/folder-blob-store.js';
import { folderOf } from './places.js';
import type { AppLog } from '../monitoring/log.js';

/** The folder of uploaded files; null where they are in a bucket. */
export function filesFolder(config: Config): string | null {
  if (config.files === null) return join(folderOf(config), 'files');
  return config.files.kind === 'folder' ? config.files.path : null;
}

/** Opens the place of uploaded files. @throws Error for a file of credentials that cannot be used */
export async function openFiles(config: Config, log: AppLog): Promise<FileStore> {
  return (await openBucket(config, log)) ?? new FolderBlobStore(filesFolder(config)!);
}

/** Opens the bucket of uploaded files; null where they are in a folder. @throws Error for unusable credentials */
export async function openBucket(config: Config, log: AppLog): Promise<S3BlobStore | null> {
  const { files: place, filesKeys: keys } = config;
  if (place?.kind !== 's3' || keys === null) return null;
  // Loaded only where files are in a bucket, because every start would wait for it.
  const [{ S3BlobStore }, { S3Connection }, { S3Credentials }] = await Promise.all([
    import('../../services/s3/s3-blob-store.js'),
    import('../../services/s3/connection.js'),
    import('../../services/s3/credentials.js'),
  ]);
  const connection = new S3Connection(place, await S3Credentials.load(keys));
  const files: S3BlobStore = new S3BlobStore(place, connection, {
    failed: (error) =>
      log.error({ err: error, files: files.description }, 'uploaded files are not available'),
    recovered: () => log.info({ files: files.description }, 'uploaded files are available again'),
  });
  return files;
}

/**
 * Asks a bucket for a file that is not there, so that the log says at the start, and not at the first upload, that
 * it is away or that the credentials are wrong. Nobody waits for it.
 */
export function tryFiles(files: FileStore): void {
  files.get('none').catch(() => undefined);
}

/** What shows that an organization has files there, in words; null where nothing does. */
export async function signOf(files: FileStore): Promise<string | null> {
  try {
    return (await files.holdsFiles()) ? `${files.description} holds files` : null;
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return `${files.description} cannot be asked whether it holds files (${why})`;
  }
}
