import t from 'tap';
import { createDrafts as addDrafts } from '../../../schemas/personal/drafts.js';
import { Empty, endpoint } from '../../../schemas/endpoint.js';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import { handle } from '../../../src/resources/kernel/handler.js';
import { allHandlers, assertServed } from '../../../src/resources/registry.js';
import { createMarkdown } from '../../../src/services/markdown/markdown.js';

function sample(operation: string) {
  return endpoint({
    operation,
    method: 'GET',
    path: `/${operation}`,
    access: 'user',
    summary: 'A sample',
    params: {},
    response: Empty,
    errors: [],
    events: [],
  });
}

/** What the HTTP layer serves itself. */
const SERVED_BELOW: ReadonlySet<string> = new Set([
  'download-uploaded-file',
  'get-backup-file',
  'get-events',
  'get-export-file',
  'get-temporary-file',
  'get-thumbnail',
  'get-uploaded-file',
  'open-event-socket',
  'open-event-stream',
]);

const declared = sample('declared');
const handler = handle(declared, () => ({}));

void t.test('an endpoint is its descriptor and its handler', async (t) => {
  t.doesNotThrow(() => assertServed([handler], [declared]));
});

void t.test('a start fails where one of the two is missing', async (t) => {
  const forgotten = sample('forgotten');
  t.throws(() => assertServed([handler], [declared, forgotten]), {
    message: 'Nothing serves forgotten',
  });
  t.throws(() => assertServed([handler], [declared, addDrafts]), {
    message: 'Nothing serves create-drafts: add its handler to src/resources/personal/index.ts',
  });
  const undeclared = handle(forgotten, () => ({}));
  t.throws(() => assertServed([handler, undeclared], [declared]), {
    message: 'forgotten is not declared, or is served twice',
  });
  t.throws(() => assertServed([handler, handle(declared, () => ({}))], [declared]), {
    message: 'declared is not declared, or is served twice',
  });
});

void t.test(
  'the HTTP layer serves events and the content of files, handlers all the rest',
  async (t) => {
    // Handlers take their parts when they are called.
    const handlers = allHandlers({ markdown: createMarkdown(), videoCalls: {} } as never);
    const below = ALL_ENDPOINTS.filter(({ operation }) => SERVED_BELOW.has(operation));
    t.equal(below.length, SERVED_BELOW.size);
    // As at each start: tells where a handler is missing.
    assertServed([...handlers, ...below.map((one) => ({ endpoint: one }))]);
  },
);
