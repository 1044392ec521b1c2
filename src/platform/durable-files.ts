/**
 * Files that survive a power cut. A file is durable when its content is (fsync of the file) and its name is
 * (fsync of the folder that holds the name, after it was put there): a rename alone is in memory only.
 */
import { dirname, join, resolve } from 'node:path';
import { link, mkdir, open, readFile, rename, rm, stat } from './files.js';
import { randomBytes } from './randomness.js';

/** What is asked of a file system; `node:fs/promises` is one, a test cuts the power of another. */
export interface Files {
  /** Fails with `EEXIST` where there is something, with `ENOENT` where the folder above is missing. */
  mkdir(path: string, options: { readonly mode: number }): Promise<unknown>;
  /** `wx` creates, `r` opens what is there, folders too. */
  open(path: string, flags: 'wx' | 'r', mode?: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  rm(path: string, options: { readonly force: true }): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  stat(path: string): Promise<{ readonly mode: number; isDirectory(): boolean }>;
}

/** The content of a file: as a whole, or in parts. */
type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** An open file or folder. */
export interface OpenFile {
  /** Writes behind what was written. */
  writeFile(data: Uint8Array): Promise<unknown>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system of this machine. */
export const systemFiles: Files = { mkdir, open, rename, link, rm, readFile, stat };

/** Only the account of the server may enter, list and change them. */
const FOLDER_MODE = 0o700;
/** Only the account of the server may read and write them. */
const FILE_MODE = 0o600;

/**
 * Makes a folder and those above it, for the server's account alone; its name is durable when it resolves, also
 * where a process made the folder and was killed before it got so far.
 * @throws Error where it cannot, e.g. because a file has the name
 */
export async function makeFolder(path: string, files: Files = systemFiles): Promise<void> {
  const whole = resolve(path);
  const above = dirname(whole);
  if (!(await isFolder(above, files))) await makeFolder(above, files);
  await files.mkdir(whole, { mode: FOLDER_MODE }).catch(ignore('EEXIST'));
  if (!(await isFolder(whole, files))) throw new Error(`${whole} is not a folder`);
  await syncFolder(above, files);
}

/** Folders remembered as durable: many more than those whose files are written again and again. */
const MAX_REMEMBERED = 1000;

/** A folder and those below it, each made durable once by this process. */
export class FolderTree {
  private readonly durable = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly files: Files = systemFiles,
  ) {}

  /**
   * Makes a folder of the tree, named by its path below the root.
   * @throws Error where it cannot
   */
  async make(below: readonly string[]): Promise<void> {
    if (this.durable.size > MAX_REMEMBERED) this.durable.clear();
    let path = this.root;
    for (const name of [null, ...below]) {
      if (name !== null) path = join(path, name);
      if (this.durable.has(path)) continue;
      await makeFolder(path, this.files);
      this.durable.add(path);
    }
  }
}

/**
 * Puts a whole file in place of what was there, in a folder that exists; durable when it resolves. Whoever
 * reads sees the former content or all of this one, also after a power cut.
 * @throws Error where it cannot: what was there is untouched, or this is there and may be gone after a power cut
 */
export async function replaceFile(
  path: string,
  data: Content,
  files: Files = systemFiles,
): Promise<void> {
  const draft = await writeDraft(path, data, files);
  try {
    await files.rename(draft, path);
  } catch (error) {
    await files.rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path), files);
}

/**
 * Makes a whole file unless there is one; durable when it resolves. Where two processes try at once, one file is
 * made and both find it.
 * @throws Error where it cannot
 */
export async function createFile(
  path: string,
  data: Uint8Array,
  files: Files = systemFiles,
): Promise<void> {
  const draft = await writeDraft(path, data, files);
  try {
    // Unlike a rename, a link never replaces what another process made meanwhile.
    await files.link(draft, path).catch(ignore('EEXIST'));
  } finally {
    await files.rm(draft, { force: true });
  }
  await syncFolder(dirname(path), files);
}

/** Makes the names in a folder durable: those that were put there, and that others are gone. */
export async function syncFolder(path: string, files: Files = systemFiles): Promise<void> {
  const folder = await files.open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Tells the drafts of this process from those of another, which may have left them behind. */
const PROCESS = randomBytes(6).toString('hex');

/** Names of drafts; no key of a stored file begins with a dot. */
const DRAFT = /^\.([0-9a-f]{12})-[0-9a-f]{12}\.part$/;

/** Whether a file of this name is a draft that another process began: it is, or was, being written. */
export function isForeignDraft(name: string): boolean {
  const writer = DRAFT.exec(name)?.[1];
  return writer !== undefined && writer !== PROCESS;
}

/** The content under a name that nobody looks for. */
async function writeDraft(path: string, data: Content, files: Files): Promise<string> {
  const draft = join(dirname(path), `.${PROCESS}-${randomBytes(6).toString('hex')}.part`);
  try {
    const file = await files.open(draft, 'wx', FILE_MODE);
    try {
      if (data instanceof Uint8Array) await file.writeFile(data);
      else for await (const part of data) await file.writeFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    return draft;
  } catch (error) {
    await files.rm(draft, { force: true });
    throw error;
  }
}

async function isFolder(path: string, files: Files): Promise<boolean> {
  try {
    return (await files.stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function ignore(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
