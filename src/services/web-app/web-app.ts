import { extname, join, sep } from 'node:path';
import {
  readFile,
  readFileSync,
  realpath,
  realpathSync,
  stat,
  statSync,
} from '../../platform/files.js';
import { lruOfEntries } from '../../platform/lru.js';
import { JsonText, TemplateFunction } from './expression.js';
import { MessageCatalog } from './message-catalog.js';
import { readPage, type Page, type Texts } from './template.js';

/** Feature levels of the web app whose page and calls this server knows. */
export const OLDEST_LEVEL = 480;
export const NEWEST_LEVEL = 500;

const STATS = 'webpack-stats-production.json';
/** Beside the files, not among them. */
const HASHED_NAMES = 'staticfiles.json';
const SERVED = join('prod-static', 'serve');
const TEMPLATES = 'templates';
const PAGE = 'zerver/app/index.html';
const BUNDLES = 'webpack-bundles/';
/** Paths that were looked up and are remembered, some hundred bytes each: an app has 5,000 files. */
const MAX_KNOWN = 10_000;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** A hash of the content in a name: it never changes then. */
const HASHED = /(?:^|[.-])[0-9a-f]{12,}\.[\w.]+$/;

/** A file of the app, where it lies. */
export interface WebAppFile {
  readonly path: string;
  readonly size: number;
  /** Its content is in its name. */
  readonly isImmutable: boolean;
  readonly contentType: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** The same, compressed; null where it is not there. */
  readonly gzip: { readonly path: string; readonly size: number } | null;
}

/** What a language has for the texts in English. */
interface Translation {
  /** For the texts of the scripts. */
  readonly data: JsonText;
  /** For the texts of the templates. */
  readonly texts: Texts;
}

/** A language that the app can have. */
interface Language {
  readonly code: string;
  readonly locale: string;
  readonly name: string;
  readonly percent_translated?: number;
}

/**
 * WebApp is an operator's own copy of the public web app: the unpacked folder of a release. It is checked as a whole
 * when it is opened, because a page that does not fit would be blank for everybody.
 */
export class WebApp {
  private readonly known = lruOfEntries<string, WebAppFile>(MAX_KNOWN);
  private readonly translations = new Map<string, Promise<Translation>>();

  private constructor(
    private readonly folder: string,
    /** Folder of the files that are served, without links. */
    private readonly root: string,
    readonly level: number,
    readonly languages: readonly Language[],
    private readonly page: Page,
    private readonly functions: Readonly<Record<string, TemplateFunction>>,
  ) {}

  /** @throws Error in one sentence where the folder is none of a release of the app, or of another level */
  static open(folder: string): WebApp {
    const level = levelOf(folder);
    if (level < OLDEST_LEVEL || level > NEWEST_LEVEL) {
      throw new Error(
        `the web app in ${folder} has feature level ${level}; this server needs ${OLDEST_LEVEL} to ${NEWEST_LEVEL}`,
      );
    }
    const root = rootOf(folder);
    const chunks = chunksOf(folder);
    const missing = chunks.get('app')!.find((name) => !isFile(join(root, BUNDLES, name)));
    if (missing !== undefined) {
      throw new Error(`${join(folder, SERVED, BUNDLES, missing)} is missing, which ${STATS} names`);
    }
    const source = (name: string): string => {
      if (name.split('/').includes('..')) throw new Error(`${name} is outside of ${TEMPLATES}`);
      return textIn(folder, join(TEMPLATES, name));
    };
    return new WebApp(
      folder,
      root,
      level,
      languagesOf(folder),
      readPage(PAGE, source),
      functionsOf(chunks, hashedNames(folder)),
    );
  }

  /** The page, as one text. */
  render(values: Readonly<Record<string, unknown>>, { texts }: Pick<Translation, 'texts'>): string {
    return this.page({ ...this.functions, ...values }, texts);
  }

  /** The texts of a language; none for English. */
  translationTo(code: string): Promise<Translation> {
    const known = this.languages.find((one) => one.code === code);
    if (!known || code === 'en') return Promise.resolve(UNTRANSLATED);
    let found = this.translations.get(code);
    if (!found) {
      found = translationIn(join(this.folder, 'locale', known.locale));
      this.translations.set(code, found);
    }
    return found;
  }

  /** The file at a path below `/static/`, decoded; undefined for none, and for what is none of the app's. */
  async file(path: string): Promise<WebAppFile | undefined> {
    const known = this.known.get(path);
    if (known) return known;
    const file = await this.look(path);
    // What is not there is not remembered: a stranger could name any number.
    if (file) this.known.set(path, file);
    return file;
  }

  private async look(path: string): Promise<WebAppFile | undefined> {
    const contentType = TYPES[extname(path).toLowerCase()];
    if (contentType === undefined || path.includes('\0') || path.includes('\\')) return undefined;
    const place = await this.inside(join(this.root, path));
    if (place === undefined) return undefined;
    const { size, mtimeMs } = await stat(place);
    const gzip = await this.inside(join(this.root, `${path}.gz`));
    return {
      ...{ path: place, size, contentType, modifiedAt: Math.floor(mtimeMs) },
      isImmutable: path.startsWith(BUNDLES) || HASHED.test(path),
      gzip: gzip === undefined ? null : { path: gzip, size: (await stat(gzip)).size },
    };
  }

  /** Where a file really lies; undefined for one that is not there, is none, or that a link leads outside. */
  private async inside(path: string): Promise<string | undefined> {
    try {
      const real = await realpath(path);
      if (!real.startsWith(this.root + sep)) return undefined;
      return (await stat(real)).isFile() ? real : undefined;
    } catch {
      return undefined;
    }
  }
}

const NOTHING = new JsonText('{}');
const UNTRANSLATED: Translation = { data: NOTHING, texts: new Map() };

/** What is not there, or cannot be read, stays in English. */
async function translationIn(folder: string): Promise<Translation> {
  const [data, catalog] = await Promise.all([
    readFile(join(folder, 'translations.json'), 'utf8')
      .then((text) => new JsonText(JSON.stringify(JSON.parse(text))))
      .catch(() => NOTHING),
    readFile(join(folder, 'LC_MESSAGES', 'django.mo')).then(
      (file) => MessageCatalog.of(file),
      () => null,
    ),
  ]);
  return { data, texts: catalog ?? UNTRANSLATED.texts };
}

/** @throws Error where it cannot be read */
function textIn(folder: string, path: string): string {
  try {
    return readFileSync(join(folder, path), 'utf8');
  } catch {
    throw new Error(`${folder} is not an unpacked release of the web app: ${path} cannot be read`);
  }
}

function levelOf(folder: string): number {
  const [, level] = /^API_FEATURE_LEVEL\s*=\s*(\d+)/m.exec(textIn(folder, 'version.py')) ?? [];
  if (level === undefined) throw new Error(`${join(folder, 'version.py')} names no feature level`);
  return Number(level);
}

function rootOf(folder: string): string {
  try {
    return realpathSync(join(folder, SERVED));
  } catch {
    throw new Error(
      `${folder} is not an unpacked release of the web app: ${SERVED} is missing, as in its sources`,
    );
  }
}

/** Names of the files of each entry, from the manifest of the bundler. */
function chunksOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const stats = parsed(folder, STATS) as {
    status?: string;
    chunks?: Record<string, (string | { name: string })[]>;
  };
  if (stats.status !== 'done' || !stats.chunks?.['app']) {
    throw new Error(`${join(folder, STATS)} names no files of the entry "app"`);
  }
  return new Map(
    Object.entries(stats.chunks).map(([name, files]) => [
      name,
      files
        .map((file) => (typeof file === 'string' ? file : file.name))
        .filter((file) => /\.(?:css|js)$/.test(file)),
    ]),
  );
}

function parsed(folder: string, path: string): unknown {
  const text = textIn(folder, path);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`${join(folder, path)} is no JSON`);
  }
}

/** The names with a hash that files have; empty where no manifest tells them. */
function hashedNames(folder: string): ReadonlyMap<string, string> {
  try {
    const { paths } = JSON.parse(readFileSync(join(folder, HASHED_NAMES), 'utf8')) as {
      paths: Record<string, string>;
    };
    return new Map(Object.entries(paths));
  } catch {
    return new Map();
  }
}

function functionsOf(
  chunks: ReadonlyMap<string, readonly string[]>,
  hashed: ReadonlyMap<string, string>,
): Record<string, TemplateFunction> {
  return {
    static: new TemplateFunction(([name]) => `/static/${hashed.get(String(name)) ?? String(name)}`),
    webpack_entry: new TemplateFunction(([entry]) => {
      const files = chunks.get(String(entry));
      if (!files) throw new Error(`The web app has no entry ${String(entry)}`);
      return files.map((name) => `/static/${BUNDLES}${name}`);
    }),
  };
}

/** English alone where the release has no list. */
function languagesOf(folder: string): Language[] {
  try {
    const { name_map } = JSON.parse(
      readFileSync(join(folder, 'locale', 'language_name_map.json'), 'utf8'),
    ) as { name_map: (Omit<Language, 'locale'> & { locale?: string })[] };
    return name_map.map(({ code, name, locale, percent_translated }) => ({
      ...{ code, name, locale: locale ?? localeOf(code) },
      ...(percent_translated === undefined ? {} : { percent_translated }),
    }));
  } catch {
    return [{ code: 'en', locale: 'en', name: 'English' }];
  }
}

/** The folder of a language: `pt_BR` for `pt-br`, `zh_Hans` for `zh-hans`. */
function localeOf(code: string): string {
  const [language = '', place] = code.split('-');
  if (place === undefined) return language;
  return `${language}_${place.length > 2 ? place[0]!.toUpperCase() + place.slice(1) : place.toUpperCase()}`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
