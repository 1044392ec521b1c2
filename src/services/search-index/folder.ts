/** The folder of an index: a manifest that names its files. Files that it does not name are removed. */
import { join } from 'node:path';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from '../../platform/files.js';
import type { IndexState } from './protocol.js';

/** Changes with the form of the files, or with what a word is; an index of another form is built anew. */
const FORMAT = `4 unicode ${process.versions.unicode}`;
const MANIFEST = 'manifest.json';

/** What belongs to an index. */
export interface Manifest extends IndexState {
  /** Files of parts, by the number of the part. */
  readonly segments: readonly (readonly [part: number, file: string])[];
  /** Files of changes, the oldest first. */
  readonly logs: readonly string[];
}

/**
 * The manifest of a folder; null where there is none of this form.
 * @throws Error where there is one that cannot be read
 */
export function readManifest(folder: string): Manifest | null {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) return null;
  let json: Manifest & { readonly format: string };
  try {
    json = JSON.parse(readFileSync(path, 'utf8')) as typeof json;
  } catch (error) {
    throw new Error(`${path} cannot be read`, { cause: error });
  }
  return json.format === FORMAT ? json : null;
}

/** Puts a manifest in place of the former one; durable when it returns. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const draft = join(folder, `${MANIFEST}.part`);
  writeFileSync(draft, JSON.stringify({ format: FORMAT, ...manifest }), { mode: 0o600 });
  syncPath(draft);
  renameSync(draft, join(folder, MANIFEST));
  syncPath(folder);
}

/** Removes all files that a manifest does not name; all where it is null. */
export function removeOthers(folder: string, manifest: Manifest | null): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = new Set<string>();
  if (manifest) {
    kept.add(MANIFEST);
    for (const [, file] of manifest.segments) kept.add(file);
    for (const file of manifest.logs) kept.add(file);
  }
  for (const file of readdirSync(folder)) {
    if (!kept.has(file)) rmSync(join(folder, file), { force: true, recursive: true });
  }
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
