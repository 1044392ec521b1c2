import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { existsSync, readFile } from '../../platform/files.js';
import { openApiDocumentInParts } from '../../../schemas/openapi/document.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { jsonInParts } from '../../turns/json-parts.js';
import { DOCS_CSS, DOCS_SCRIPT, docsPage } from './docs-page.js';
import { FOREVER, type PublicFile } from './public-file.js';

/** Addresses of the published contract. */
const OPENAPI_PATH = '/api/v1/openapi.json';
const DOCS_PATH = '/docs';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Files of the viewer that the page needs; all of them are served from here. */
const VIEWER: Readonly<Record<string, string>> = {
  'swagger-ui.css': CSS,
  'swagger-ui-bundle.js': SCRIPT,
};

/** Characters of a digest that distinguish two versions of a file: 60 bits. */
const DIGEST_LENGTH = 10;

/**
 * How long the document is made without a pause, milliseconds: its largest operation takes 8 by itself, and nobody
 * should wait longer than 10.
 */
const STRETCH_MS = 1;

const html = 'text/html; charset=utf-8';

/**
 * Serves the published contract: an OpenAPI document of the API, and a page to browse it.
 *
 * @param url base URL of this server, read when the document is requested
 */
export function contractPages(
  url: () => string,
): (path: string) => PublicFile | Promise<PublicFile> | undefined {
  const folder = viewerFolder();
  let document: Promise<PublicFile> | undefined;
  let page: Promise<PublicFile> | undefined;
  // The same objects each time, so that they are compressed once.
  const own = new Map<string, PublicFile>([
    ['docs.css', { contentType: CSS, cacheControl: FOREVER, body: DOCS_CSS }],
    ['docs.js', { contentType: SCRIPT, cacheControl: FOREVER, body: DOCS_SCRIPT }],
  ]);
  const viewer = new Map<string, Promise<PublicFile>>();

  const viewerFile = (name: string): Promise<PublicFile> | undefined => {
    const contentType = Object.hasOwn(VIEWER, name) ? VIEWER[name]! : null;
    if (contentType === null) return undefined;
    let file = viewer.get(name);
    if (!file) {
      file = readFile(join(folder, name)).then((body) => ({
        contentType,
        cacheControl: FOREVER,
        body,
      }));
      viewer.set(name, file);
    }
    return file;
  };

  /** The address of a file of the page. Browsers cache it without a limit, so it changes with the contents. */
  const addressOf = async (name: string): Promise<string> => {
    const { body } = own.get(name) ?? (await viewerFile(name)!);
    const digest = createHash('sha256').update(body).digest('base64url');
    return `${DOCS_PATH}/${name}?${digest.slice(0, DIGEST_LENGTH)}`;
  };

  const makePage = async (): Promise<PublicFile> => ({
    contentType: html,
    body: docsPage({
      openapi: OPENAPI_PATH,
      viewerCss: await addressOf('swagger-ui.css'),
      viewerScript: await addressOf('swagger-ui-bundle.js'),
      css: await addressOf('docs.css'),
      script: await addressOf('docs.js'),
    }),
  });

  return (path) => {
    if (path === OPENAPI_PATH) {
      return (document ??= makeDocument(url()));
    }
    if (path === DOCS_PATH || path === `${DOCS_PATH}/`) return (page ??= makePage());
    const name = path.startsWith(`${DOCS_PATH}/`) ? path.slice(DOCS_PATH.length + 1) : '';
    return own.get(name) ?? viewerFile(name);
  };
}

async function makeDocument(url: string): Promise<PublicFile> {
  const pause = new EventLoopYield(false, STRETCH_MS);
  const parts = documentText(url);
  for (;;) {
    const { done, value } = parts.next();
    if (done) return { contentType: 'application/json', body: value };
    if (pause.isDue) await pause.take();
  }
}

function* documentText(url: string): Generator<void, string> {
  const parts: string[] = [];
  for (const part of jsonInParts(yield* openApiDocumentInParts(url))) {
    parts.push(part);
    yield;
  }
  return parts.join('');
}

/** Beside the bundled server; where each source is compiled by itself, that of the viewer's package. */
function viewerFolder(): string {
  const bundled = join(import.meta.dirname, 'swagger-ui');
  if (existsSync(bundled)) return bundled;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
