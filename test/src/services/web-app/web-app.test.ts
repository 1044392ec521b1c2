import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { preferredLanguage } from '../../../../src/languages/preferred.js';
import { JsonText, Markup } from '../../../../src/services/web-app/expression.js';
import { readPage } from '../../../../src/services/web-app/template.js';
import { WebApp } from '../../../../src/services/web-app/web-app.js';
import { writeWebApp } from '../../../fixtures/web-app-folder.js';

const ENGLISH = { texts: new Map<string, string>() };

function folderOf(t: Test, changes: Readonly<Record<string, string | null>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-web-app-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeWebApp(folder, changes);
  return folder;
}

void t.test('a folder that does not fit is refused in one sentence', async (t) => {
  const rows: readonly [Record<string, string | null>, RegExp][] = [
    [
      { 'version.py': null },
      /is not an unpacked release of the web app: version\.py cannot be read$/,
    ],
    [{ 'version.py': 'X = 1' }, /version\.py names no feature level$/],
    [
      { 'version.py': 'API_FEATURE_LEVEL = 479' },
      /has feature level 479; this server needs 480 to 500$/,
    ],
    [
      { 'version.py': 'API_FEATURE_LEVEL = 501' },
      /has feature level 501; this server needs 480 to 500$/,
    ],
    [{ 'webpack-stats-production.json': null }, /webpack-stats-production\.json cannot be read$/],
    [{ 'webpack-stats-production.json': '{' }, /webpack-stats-production\.json is no JSON$/],
    [
      { 'webpack-stats-production.json': '{"status":"done"}' },
      /names no files of the entry "app"$/,
    ],
    [
      { 'prod-static/serve/webpack-bundles/app.0123456789abcdef.js': null },
      /app\.0123456789abcdef\.js is missing, which webpack-stats-production\.json names$/,
    ],
    [{ 'templates/zerver/base.html': null }, /zerver\/base\.html cannot be read$/],
    [
      { 'templates/zerver/app/index.html': '\n\n{% macro x() %}' },
      /^zerver\/app\/index\.html:3: the tag macro is not known$/,
    ],
    [
      { 'templates/zerver/app/part.html': 'a\n{{ a|upper }}' },
      /^zerver\/app\/part\.html:2: the filter upper is not known$/,
    ],
    [
      { 'templates/zerver/app/part.html': '{{ url("x") }}' },
      /^zerver\/app\/part\.html:1: the function url is not known$/,
    ],
    [
      { 'templates/zerver/app/part.html': '{{ a.pop() }}' },
      /part\.html:1: the method pop is not known$/,
    ],
    [{ 'templates/zerver/app/part.html': '{{ a + 1 }}' }, /part\.html:1: "\+ 1" is not known$/],
    [{ 'templates/zerver/app/part.html': '\n{{ a' }, /part\.html:2: a tag does not end$/],
    [{ 'templates/zerver/app/part.html': '{% if a %}' }, /part\.html: endif is missing$/],
    [
      { 'templates/zerver/app/part.html': "{% include '../../../version.py' %}" },
      /is outside of templates$/,
    ],
    [
      { 'templates/zerver/app/part.html': "{% include 'zerver/app/part.html' %}" },
      /is included too deeply$/,
    ],
  ];
  for (const [changes, message] of rows) {
    t.throws(() => WebApp.open(folderOf(t, changes)), { message }, String(message));
  }
  t.equal(WebApp.open(folderOf(t)).level, 490);
});

void t.test(
  'the page has what the templates say, and no text of a value becomes HTML',
  async (t) => {
    const app = WebApp.open(folderOf(t));
    const text = app.render(
      {
        ...{ LANGUAGE_CODE: 'de', color_scheme: 2, csp_nonce: 'n', embedded: false },
        realm_name: `<Verona> & "co's"`,
        csrf_input: new Markup('<input name="csrfmiddlewaretoken" />'),
        default_page_params: { page_type: 'default', request_language: 'de' },
        page_params: { page_type: 'home', state_data: new JsonText(`{"a":"</script>'&"}`) },
      },
      ENGLISH,
    );
    t.match(text, `<html lang='de' class="dark-theme">`);
    t.match(text, '<title>Chat of &lt;Verona&gt; &amp; &#34;co&#39;s&#34;</title>');
    t.match(text, '<link rel="icon" href="/static/images/icon.0123456789ab.svg" />');
    t.match(text, '<script src="/static/webpack-bundles/app.0123456789abcdef.js" defer nonce="n">');
    t.match(
      text,
      '<link href="/static/webpack-bundles/app.fedcba9876543210.css" rel="stylesheet" />',
    );
    t.match(text, '<p id="part">Whole</p>');
    t.match(text, '<p id="loading">Loading <b>all</b></p>');
    t.match(text, 'method="POST"><input name="csrfmiddlewaretoken" /></form>');
    t.notMatch(text, '.js.map');
    const [, params = ''] = /data-params='([^']*)'/.exec(text) ?? [];
    t.notMatch(params, /[<>&]/);
    t.strictSame(JSON.parse(params), {
      page_type: 'home',
      request_language: 'de',
      state_data: { a: `</script>'&` },
    });
  },
);

void t.test('expressions have the values of the template language', async (t) => {
  const page = (text: string) =>
    readPage('x', () => text)({ list: ['a', 'b'], none: '', n: 2, no: null }, new Map());
  t.equal(page('{{ missing }}{{ missing.more|default("other") }}'), 'other');
  t.equal(page('{{ "yes" if n == 2 and not none else "no" }}'), 'yes');
  t.equal(page('{{ none or "else" }}{{ n != 2 }}'), 'elsefalse');
  t.equal(page('{% for one in list %}{{ one ~ "," }}{% endfor %}'), 'a,b,');
  t.equal(page('{% set x = {"k": [1, true]} %}{{ x|tojson }}'), '{"k":[1,true]}');
  t.equal(page('a  {%- if list|length == 2 -%}  b  {%- endif %}  c'), 'ab  c');
  t.equal(page('{% block a %}1{% endblock %}{# {{ broken #}'), '1');
  t.equal(page('{{ n is defined }}{{ missing is defined }}{{ no is not none }}'), 'truefalsefalse');
  t.equal(page('{% if missing is not defined and n == 2 %}1{% endif %}'), '1');
});

void t.test('files are those of the folder, and nothing else', async (t) => {
  const app = WebApp.open(folderOf(t));
  t.match(await app.file('webpack-bundles/app.fedcba9876543210.css'), {
    ...{ size: 3000, isImmutable: true, contentType: 'text/css; charset=utf-8' },
    gzip: { size: Number },
  });
  t.match(await app.file('plain.css'), { isImmutable: false, gzip: null });
  t.match(await app.file('inside.css'), { size: 16 }, 'a link that stays inside');
  for (const path of [
    'webpack-bundles/app.0123456789abcdef.js.map',
    'outside.txt',
    '../../version.py',
    'images/../../../version.py',
    'images',
    '',
    'plain.css\0',
    'webpack-bundles\\app.fedcba9876543210.css',
    'not/there.js',
  ]) {
    t.equal(await app.file(path), undefined, path);
  }
});

void t.test('a language is the one that was chosen, or that the browser prefers', async (t) => {
  const codes = ['en', 'de', 'pt-br'];
  t.equal(preferredLanguage('fr, de;q=0.5, en;q=0.1', codes), 'de');
  t.equal(preferredLanguage('pt-BR,en', codes), 'pt-br');
  t.equal(preferredLanguage('de-AT', codes), 'de');
  t.equal(preferredLanguage('de;q=0, fr', codes), 'en');
  t.equal(preferredLanguage('', codes), 'en');
  const app = WebApp.open(folderOf(t));
  const dataOf = async (code: string) => (await app.translationTo(code)).data.text;
  t.equal(await dataOf('de'), '{"Drafts":"Entwürfe <\'&>"}');
  t.equal(await dataOf('pt-br'), '{}', 'a language whose texts are missing');
  t.equal(await dataOf('../..'), '{}');
  t.strictSame(
    app.languages.map(({ locale }) => locale),
    ['en', 'de', 'pt_BR'],
  );
});

void t.test('the templates speak the language, as far as somebody translated them', async (t) => {
  const app = WebApp.open(folderOf(t));
  const { texts } = await app.translationTo('de');
  const values = { realm_name: 'A & B' };
  const german = app.render(values, { texts });
  t.match(german, '<title>Plaudern bei A &amp; B</title>', 'a text with a value');
  t.match(german, '<p id="loading"><b>Alles</b> lädt</p>', 'a block');
  t.match(german, '<p id="part">Whole</p>', 'nobody translated this one');
  const page = (text: string, ...pairs: [string, string][]) =>
    readPage('x', () => text)({ name: '<i>', n: 5 }, new Map(pairs));
  t.equal(
    page('{% trans %}{{ n }} of {{ name }}: 100%{% endtrans %}', [
      '%(n)s of %(name)s: 100%%',
      '100%% von %(name)s: %(n)s %(other)s',
    ]),
    '100% von &lt;i&gt;: 5 %(other)s',
  );
  t.equal(page('{% trans trimmed %}\n  a\n  b\n{% endtrans %}', ['a b', 'c']), 'c');
  t.throws(() => page('{% trans %}{% if n %}{% endif %}{% endtrans %}'), {
    message: 'x:1: the tag if n in trans is not known',
  });
  for (const catalog of ['', 'no catalog of texts at all', 'damaged']) {
    const folder = folderOf(t);
    const place = join(folder, 'locale/de/LC_MESSAGES/django.mo');
    // A table that says that its texts lie behind the end.
    if (catalog === 'damaged') writeFileSync(place, readFileSync(place).fill(255, 32, 36));
    else writeFileSync(place, catalog);
    const { texts: none } = await WebApp.open(folder).translationTo('de');
    t.match(app.render(values, { texts: none }), '<p id="loading">Loading <b>all</b></p>');
  }
});
