import type { WebApp } from '../../services/web-app/web-app.js';
import type { DiskFile } from './disk-file.js';
import { publicFiles } from './public-files.js';
import { A_WHILE, FOREVER, type FoundFile } from './public-file.js';

const STATIC_PATH = '/static/';

/**
 * The files of the web app behind the server's own ({@link publicFiles}), whose names take precedence.
 * @param webApp null: there is none
 */
export function allPublicFiles(
  webApp: WebApp | null,
  ...parts: Parameters<typeof publicFiles>
): (path: string) => FoundFile {
  const own = publicFiles(...parts);
  if (!webApp) return own;
  return (path) => own(path) ?? (path.startsWith(STATIC_PATH) ? fileOf(webApp, path) : undefined);
}

async function fileOf(webApp: WebApp, path: string): Promise<DiskFile | undefined> {
  const file = await webApp.file(decoded(path.slice(STATIC_PATH.length)));
  return file && { ...file, cacheControl: file.isImmutable ? FOREVER : A_WHILE };
}

/** Empty for what is no text. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
