/*
 * The page that shows the published contract: a viewer that is a package, and what it lacks: search over all
 * operations, a login that fills its credentials in, samples, and colors after the device. The script is text, because
 * it runs in browsers; `docs-page.test.ts` runs it too.
 */

/** Places of what the page is made of, with a part that changes with the contents. */
interface DocsPlaces {
  readonly openapi: string;
  readonly viewerCss: string;
  readonly viewerScript: string;
  readonly css: string;
  readonly script: string;
}

/** The page itself. */
export function docsPage(places: DocsPlaces): string {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:">
    <title>Parley: the API</title>
    <link rel="icon" href="/static/icon.svg">
    <link rel="stylesheet" href="${places.viewerCss}">
    <link rel="stylesheet" href="${places.css}">
  </head>
  <body>
    <noscript>The interface as a document: <a href="${places.openapi}">openapi.json</a></noscript>
    <header class="bar" data-openapi="${places.openapi}">
      <div class="search" role="search">
        <label for="search">Search</label>
        <input id="search" type="search" autocomplete="off" placeholder="message topic, PATCH, mute …">
        <output id="found" for="search"></output>
      </div>
      <form class="login">
        <label for="username">E-mail address</label>
        <input id="username" type="text" autocomplete="username" required>
        <label for="password">Password</label>
        <input id="password" type="password" autocomplete="current-password" required>
        <button type="submit">Log in</button>
        <output id="login-result"></output>
      </form>
    </header>
    <div id="api"></div>
    <script src="${places.viewerScript}"></script>
    <script src="${places.script}"></script>
  </body>
</html>
`;
}

export const DOCS_CSS = `:root { color-scheme: light dark; --bar: #f4f6f5; --line: #c8d0cc; --text: #26302b; --button: #2f6b4f; }
html.dark-mode { --bar: #232b27; --line: #46524c; --text: #e4ebe7; --button: #3b7c5c; background: #1c2022; }
body { margin: 0; }
.bar {
  position: sticky; top: 0; z-index: 10; display: flex; flex-wrap: wrap; gap: 8px 32px; align-items: center;
  padding: 8px max(20px, calc((100vw - 1420px) / 2)); border-bottom: 1px solid var(--line);
  background: var(--bar); color: var(--text); font: 15px/1.4 system-ui, sans-serif;
}
.bar form, .bar .search { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.bar .search { flex: 1 1 320px; }
.bar input {
  box-sizing: border-box; min-width: 0; padding: 6px 8px; border: 1px solid var(--line); border-radius: 4px;
  background: Canvas; color: CanvasText; font: inherit;
}
.bar .search input { flex: 1 1 160px; }
.bar button {
  padding: 6px 14px; border: 0; border-radius: 4px; background: var(--button); color: #fff; font: inherit; cursor: pointer;
}
.bar .login.done label, .bar .login.done input { display: none; }
.bar output:empty { display: none; }
.swagger-ui .info { margin: 24px 0; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5d6470; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6b00; }
html:not(.dark-mode) .swagger-ui .info a { color: #1a5fb4; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #2f6b4f; color: #2f6b4f; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #2f6b4f; }
html .swagger-ui .opblock .opblock-summary-method { background: #5d6470; color: #fff; text-shadow: none; }
html .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a5fb4; }
html .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #2f6b4f; }
html .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5a00; }
html .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6e75; }
html .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
html .swagger-ui .microlight span[style*="211, 99, 99"] { color: #f0938f !important; }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #5d6470; }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1a5fb4; background: #1a5fb4; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
.swagger-ui .download-contents { background: #5d6470; }
html.dark-mode .swagger-ui .headers :is(.header-col, th, td) { color: #e4ebe7; }
.swagger-ui .scheme-container { padding: 16px 0; }
.swagger-ui .opblock, .swagger-ui .opblock-tag { scroll-margin-top: 64px; }
.samples { margin: 0 20px 20px; }
.samples .tabs { display: flex; gap: 4px; }
.samples .tabs button {
  padding: 6px 14px; border: 1px solid var(--line); border-radius: 4px 4px 0 0; background: transparent;
  color: var(--text); font: 14px/1.4 system-ui, sans-serif; cursor: pointer;
}
.samples .tabs button[aria-selected=true] { background: #26302b; color: #fff; }
.samples pre {
  margin: 0; padding: 12px 16px; overflow-x: auto; border-radius: 0 4px 4px 4px; background: #26302b; color: #f2f6f4;
  font: 13px/1.5 ui-monospace, monospace; white-space: pre;
}
@media (max-width: 640px) {
  .bar { position: static; padding: 8px 12px; }
  .bar .login label { flex: 1 1 100%; }
  .bar .login input { flex: 1 1 100%; }
  .swagger-ui .wrapper { padding: 0 8px; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag a { flex: 1; }
  .swagger-ui .opblock-tag small { flex: 1 1 100%; order: 1; padding: 0 10px; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { flex: 1 1 100%; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock .opblock-summary-description { flex: 1 1 100%; padding: 4px 10px; text-align: left; }
  .swagger-ui .responses-table, .swagger-ui .responses-table > tbody, .swagger-ui .responses-table > tbody > tr,
  .swagger-ui .responses-table > tbody > tr > td { display: block; width: 100%; max-width: 100%; box-sizing: border-box; }
  .swagger-ui .responses-table > thead, .swagger-ui .response-col_links { display: none; }
  .swagger-ui .responses-table > tbody > tr > td { padding: 4px 0; }
  .swagger-ui .responses-inner, .swagger-ui .opblock-body pre { max-width: 100%; box-sizing: border-box; overflow-x: auto; }
  .swagger-ui table:has(> tbody > tr.parameters), .swagger-ui table:has(> tbody > tr.parameters) > tbody,
  .swagger-ui tr.parameters, .swagger-ui tr.parameters > td, .swagger-ui table.parameters > tbody > tr,
  .swagger-ui table.parameters > tbody > tr > td { display: block; width: 100%; max-width: 100%; box-sizing: border-box; }
  .swagger-ui .renderedMarkdown code { overflow-wrap: anywhere; }
  .swagger-ui table.parameters > thead { display: none; }
  .swagger-ui .opblock-body select { max-width: 100%; min-width: 0; }
  .swagger-ui .opblock-section-header { flex-wrap: wrap; gap: 8px; }
  .swagger-ui .opblock-section-header { height: auto; }
  .swagger-ui .opblock .tab-header { flex: 1 1 auto; }
  .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { display: none; }
  .swagger-ui .parameters-col_description input[type=text], .swagger-ui .parameters-col_description select,
  .swagger-ui .parameters-col_description textarea { width: 100%; max-width: 100%; }
  .samples { margin: 0 8px 16px; }
}
`;

/** Runs on the page. */
export const DOCS_SCRIPT = String.raw`'use strict';

/** The operations of the document: where they are, and all their words. */
function operationsOf(spec) {
  return Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method,
      operation,
      words: [method, path, operation.operationId, operation.summary, operation.description, ...operation.tags, ...fieldsOf(operation)]
        .join(' ')
        .toLowerCase(),
    })),
  );
}

/** Names of the parameters of an operation. */
function fieldsOf({ parameters = [], requestBody }) {
  const media = Object.values(requestBody?.content ?? {});
  return [...parameters.map(({ name }) => name), ...media.flatMap(({ schema }) => Object.keys(schema.properties ?? {}))];
}

/** Operations in which every word of the search is found. */
function found(operations, search) {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== '');
  return operations.filter((one) => words.every((word) => one.words.includes(word)));
}

/**
 * Marks what may be left out and the example of an operation does not need, so that the viewer does not fill it in: it
 * would send an example of each. These show theirs in words.
 */
function withChosenExamples(spec) {
  for (const { operation } of operationsOf(spec)) {
    for (const parameter of operation.parameters ?? []) {
      const { schema, example } = parameter.content?.['application/json'] ?? parameter;
      if (example === undefined) tell(parameter, schema);
    }
    for (const { schema, example = {} } of Object.values(operation.requestBody?.content ?? {})) {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        if (name in example || schema.required?.includes(name) || field.format === 'binary') continue;
        tell(field, field);
        field['x-left-out'] = true;
      }
    }
  }
  return spec;
}

/** Encloses code in a description. */
const MARK = '\u0060';

/** Says an example in a description. */
function tell(described, { examples, default: fallback }) {
  const [example] = examples ?? [];
  if (example === undefined || example === fallback || typeof example === 'boolean') return;
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  if (text !== '') described.description += ' Example: ' + MARK + text + MARK + '.';
}

/** A part of the document with what it refers to in its place. */
function resolved(spec, part) {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => resolved(spec, one));
  const { $ref, ...own } = part;
  const target = $ref?.slice(2).split('/').reduce((found, key) => found[key], spec);
  return Object.fromEntries(Object.entries({ ...target, ...own }).map(([key, one]) => [key, resolved(spec, one)]));
}

/** Options of the viewer. */
function additions(spec, operations) {
  return (system) => {
    const { createElement, useState } = system.React;
    const Samples = ({ samples }) => {
      const [shown, show] = useState(0);
      const tab = ({ label }, index) =>
        createElement(
          'button',
          { key: label, type: 'button', role: 'tab', 'aria-selected': index === shown, onClick: () => show(index) },
          label,
        );
      return createElement(
        'div',
        { className: 'samples' },
        createElement('div', { className: 'tabs', role: 'tablist', 'aria-label': 'Samples' }, samples.map(tab)),
        createElement('pre', { tabIndex: 0, role: 'tabpanel' }, samples[shown].source),
      );
    };
    return {
      fn: {
        opsFilter: (tagged, search) => {
          const places = new Set(found(operations, search).map(({ path, method }) => method + ' ' + path));
          return tagged
            .map((tag) =>
              tag.set('operations', tag.get('operations').filter((one) => places.has(one.get('method') + ' ' + one.get('path')))),
            )
            .filter((tag) => tag.get('operations').size > 0);
        },
      },
      afterLoad() {
        const sample = this.fn.getSampleSchema;
        this.fn.getSampleSchema = (schema, ...rest) => {
          const read = (key) => (typeof schema?.get === 'function' ? schema.get(key) : schema?.[key]);
          if (!read('x-left-out')) return sample(schema, ...rest);
          return read('type') === 'array' ? '[]' : '';
        };
      },
      // To read the document as YAML, and to look into all of it for references of one part, would take seconds.
      statePlugins: {
        spec: {
          wrapActions: {
            parseToJson: (_, { specActions }) => () => specActions.updateJsonSpec(spec),
            requestResolvedSubtree: (_, { specActions }) => (path) =>
              specActions.updateResolvedSubtree(path, resolved(spec, path.reduce((part, key) => part?.[key], spec))),
          },
        },
      },
      // The page has a search of its own.
      components: { FilterContainer: () => null },
      wrapComponents: {
        // Empty values are not sent unless the user chooses to.
        ParameterIncludeEmpty: (Original) => (props) =>
          createElement(Original, { ...props, isIncludedOptions: { ...props.isIncludedOptions, defaultValue: false } }),
        responses: (Original) => (props) => {
          const samples = spec.paths[props.path]?.[props.method]?.['x-codeSamples'] ?? [];
          return createElement(
            'div',
            null,
            samples.length > 0 ? createElement(Samples, { samples }) : null,
            createElement(Original, props),
          );
        },
      },
    };
  };
}

/** Shows what a search finds, with all groups open while there is one. */
function search(ui, operations, tags, text) {
  const isSearch = text.trim() !== '';
  ui.layoutActions.updateFilter(isSearch ? text : '');
  for (const tag of tags) ui.layoutActions.show(['operations-tag', tag], isSearch);
  const matches = found(operations, text).length;
  document.getElementById('found').textContent = isSearch ? matches + ' of ' + operations.length + ' operations' : '';
}

/** Fetches an API key and has the viewer send it. The key stays on this page, until it is left. */
async function logIn(ui, username, password) {
  const response = await fetch('/api/v1/fetch_api_key', { method: 'POST', body: new URLSearchParams({ username, password }) });
  const reply = await response.json();
  if (reply.result !== 'success') throw new Error(reply.msg);
  ui.preauthorizeBasic('basic', reply.email, reply.api_key);
  return reply.email;
}

function serveLogin(ui) {
  const form = document.querySelector('.login');
  const result = document.getElementById('login-result');
  const button = form.querySelector('button');
  const [username, password] = form.querySelectorAll('input');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.classList.contains('done')) {
      ui.authActions.logout(['basic']);
      form.classList.remove('done');
      button.textContent = 'Log in';
      result.textContent = '';
      return;
    }
    result.textContent = '…';
    logIn(ui, username.value, password.value).then(
      (email) => {
        password.value = '';
        result.textContent = 'Logged in as ' + email;
        button.textContent = 'Log out';
        form.classList.add('done');
      },
      (error) => (result.textContent = error.message),
    );
  });
}

/** The viewer has a dark theme, which a class of the page selects. */
function followColors() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

async function start() {
  const response = await fetch(document.querySelector('.bar').dataset.openapi);
  const spec = withChosenExamples(await response.json());
  const operations = operationsOf(spec);
  const ui = SwaggerUIBundle({
    spec,
    dom_id: '#api',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    plugins: [additions(spec, operations)],
  });
  const tags = spec.tags.map(({ name }) => name);
  const input = document.getElementById('search');
  let pending = 0;
  input.addEventListener('input', () => {
    clearTimeout(pending);
    // While somebody types, nothing is drawn that the next key would replace.
    pending = setTimeout(() => search(ui, operations, tags, input.value), 200);
  });
  // Text that was typed before the document had loaded.
  if (input.value !== '') search(ui, operations, tags, input.value);
  serveLogin(ui);
}

followColors();
void start();
`;
