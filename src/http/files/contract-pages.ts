import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApiDocument } from '../../../schemas/openapi/document.js';
import type { PublicFile } from './public-file.js';

/** Addresses of the published contract. */
const OPENAPI_PATH = '/api/v1/openapi.json';
const DOCS_PATH = '/docs';

/** Files of the viewer that the page needs; all of them are served from here. */
const VIEWER: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:">
    <title>Parley: the API</title>
    <link rel="icon" href="/static/icon.svg">
    <link rel="stylesheet" href="${DOCS_PATH}/swagger-ui.css">
  </head>
  <body>
    <noscript>The interface as a document: <a href="${OPENAPI_PATH}">openapi.json</a></noscript>
    <div id="api"></div>
    <script src="${DOCS_PATH}/swagger-ui-bundle.js"></script>
    <script src="${DOCS_PATH}/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: ${JSON.stringify(OPENAPI_PATH)},
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  validatorUrl: null,
});
`;

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
  let document: PublicFile | undefined;
  // The same objects each time, so that they are compressed once.
  const page: PublicFile = { contentType: html, body: PAGE };
  const start: PublicFile = { contentType: 'text/javascript; charset=utf-8', body: START };
  const viewer = new Map<string, Promise<PublicFile>>();
  return (path) => {
    if (path === OPENAPI_PATH) {
      document ??= {
        contentType: 'application/json',
        body: JSON.stringify(openApiDocument(url())),
      };
      return document;
    }
    if (path === DOCS_PATH || path === `${DOCS_PATH}/`) return page;
    if (path === `${DOCS_PATH}/start.js`) return start;
    const name = path.startsWith(`${DOCS_PATH}/`) ? path.slice(DOCS_PATH.length + 1) : '';
    const contentType = Object.hasOwn(VIEWER, name) ? VIEWER[name]! : null;
    if (contentType === null) return undefined;
    let file = viewer.get(name);
    if (!file) {
      file = readFile(join(folder, name)).then((body) => ({ contentType, body }));
      viewer.set(name, file);
    }
    return file;
  };
}

/** Beside the bundled server; where each source is compiled by itself, that of the viewer's package. */
function viewerFolder(): string {
  const bundled = join(import.meta.dirname, 'swagger-ui');
  if (existsSync(bundled)) return bundled;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
