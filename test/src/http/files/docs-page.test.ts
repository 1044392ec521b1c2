import vm from 'node:vm';
import { HtmlValidate } from 'html-validate';
import t from 'tap';
import { openApiDocument } from '../../../../schemas/openapi/document.js';
import { DOCS_CSS, DOCS_SCRIPT, docsPage } from '../../../../src/http/files/docs-page.js';

/* The script of the page, run as a browser runs it, with the little of a browser that it needs to begin. */

interface Field {
  readonly description: string;
  readonly 'x-left-out'?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly description: string }[];
  readonly requestBody: {
    readonly content: Record<
      string,
      { readonly schema: { readonly properties: Record<string, Field> } }
    >;
  };
}

interface Spec {
  readonly paths: Record<string, Record<string, Operation>>;
}

interface Place {
  readonly operation: Operation;
}

interface Page {
  readonly operationsOf: (spec: Spec) => readonly Place[];
  readonly found: (operations: readonly Place[], search: string) => readonly Place[];
  readonly withChosenExamples: (spec: Spec) => Spec;
  readonly resolved: (spec: Spec, part: unknown) => unknown;
}

const nothing = { addEventListener: () => {}, classList: { toggle: () => {} }, dataset: {} };

const page = vm.createContext({
  document: { documentElement: nothing, querySelector: () => nothing },
  matchMedia: () => ({ ...nothing, matches: false }),
  // The document never comes, so the viewer is not asked to draw.
  fetch: () => new Promise(() => {}),
  console,
}) as unknown as Page;
vm.runInContext(DOCS_SCRIPT, page);

const specOf = () => JSON.parse(JSON.stringify(openApiDocument('https://chat.parley.dev'))) as Spec;

const idsOf = (places: readonly Place[]) => places.map(({ operation }) => operation.operationId);

void t.test(
  'a search finds the operations that have all its words, in whatever case',
  async (t) => {
    const operations = page.operationsOf(specOf());
    t.ok(operations.length > 170);
    const by = (search: string) => idsOf(page.found(operations, search));
    t.strictSame(by('POST reactions Emoji'), ['add-reaction']);
    t.ok(by('propagate_mode').includes('update-message'), 'by the name of a parameter');
    t.ok(by('linkifier').length > 4);
    t.strictSame(by('xyzzy'), []);
    t.equal(by('  ').length, operations.length, 'nothing is no search');
  },
);

void t.test(
  'the viewer fills in what the example needs, and the rest is shown in words',
  async (t) => {
    const spec = page.withChosenExamples(specOf());
    const { post } = spec.paths['/api/v1/messages']!;
    const { properties } = post!.requestBody.content['application/x-www-form-urlencoded']!.schema;
    t.equal(properties.content!['x-left-out'], undefined);
    t.equal(properties.topic!['x-left-out'], undefined, 'not required, but in the example');
    t.equal(properties.queue_id!['x-left-out'], true);
    t.match(
      properties.queue_id!.description,
      / Example: `fb67bf8a-c031-47cc-84cf-ed80accacda8`\.$/,
    );
    t.equal(properties.read_by_sender!['x-left-out'], true, 'a boolean too');
    const { get } = spec.paths['/api/v1/messages']!;
    const date = get!.parameters!.find(({ name }) => name === 'anchor_date');
    t.match(date!.description, / Example: `2026-01-31T09:00:00Z`\.$/);
  },
);

void t.test('an operation is shown with what it refers to in its place', async (t) => {
  const spec = specOf();
  const whole = JSON.stringify(page.resolved(spec, spec.paths['/api/v1/messages']!.get));
  t.notMatch(whole, /\$ref/);
  t.match(whole, /"sender_full_name"/, 'of a message');
  t.match(whole, /"RATE_LIMIT_HIT"/, 'of a shared refusal');
});

void t.test(
  'the page is well-formed, its fields are labelled, and its styles are closed',
  async (t) => {
    const places = {
      openapi: '/o',
      viewerCss: '/v.css',
      viewerScript: '/v.js',
      css: '/d.css',
      script: '/d.js',
    };
    const validator = new HtmlValidate({
      extends: ['html-validate:recommended', 'html-validate:a11y'],
    });
    const { results } = await validator.validateString(docsPage(places));
    t.strictSame(
      results.flatMap(({ messages }) => messages.map(({ ruleId, line }) => `${ruleId} ${line}`)),
      [],
    );
    t.equal(DOCS_CSS.split('{').length, DOCS_CSS.split('}').length);
  },
);
