import { join } from 'node:path';
import type { Language } from '../languages/languages.js';
import { readdirSync, readFile } from '../platform/files.js';

/*
 * Output of the bundler for src/web (scripts/bundle.js): a script and a style for each page, and its messages in each
 * language, under names that change with the contents. A build without the bundler has none, and pages work without.
 */

/** Addresses of the files. */
export const WEB_PATH = '/web/';

const FOLDER = join(import.meta.dirname, 'web');
const NAME = /^(\w+)-\w+\.(js|css)$/;
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Addresses of what a page needs. */
export interface PageFiles {
  /** Its messages in one language; to be read before the script. */
  readonly messages: string;
  readonly script: string;
  readonly style: string;
  /** What refusals say in the language, a module; to be loaded with the first. */
  readonly refusals: string;
  /** What the script has in common with what it loads later: fetched beside it, and not after it. */
  readonly common: string | null;
}

interface WebFile {
  readonly contentType: string;
  readonly body: Buffer;
}

const names = namesIn(FOLDER);
/** Read once. */
const read = new Map<string, Promise<WebFile>>();

/** The files of a page in a language, or null where there are none. */
export function pageFiles(page: string, language: Language): PageFiles | null {
  const [messages, script, style, refusals, common = null] = [
    `${page}_${language}.js`,
    `${page}.js`,
    `${page}.css`,
    `refusals_${language}.js`,
    `${page}_chunk.js`,
  ].map((wanted) => {
    const found = names.find((name) => name.replace(NAME, '$1.$2') === wanted);
    return found === undefined ? undefined : WEB_PATH + found;
  });
  return messages === undefined || script === undefined || !style || !refusals
    ? null
    : { messages, script, style, refusals, common };
}

/** A file by its name; undefined where there is none. */
export function webFile(name: string): Promise<WebFile> | undefined {
  if (!names.includes(name)) return undefined;
  let file = read.get(name);
  if (!file) {
    const contentType = TYPES[NAME.exec(name)![2]!]!;
    file = readFile(join(FOLDER, name)).then((body) => ({ contentType, body }));
    read.set(name, file);
  }
  return file;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}
