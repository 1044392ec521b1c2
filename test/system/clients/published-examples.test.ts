import t from 'tap';
import { ApiClient, exchange, form, FORM, type Body, type Reply } from '../harness/client.js';
import { NOT_OFFERED, publishedStory, type Published } from '../harness/published-story.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

/**
 * What cannot succeed with what a page can know, and how it is answered: secrets and addresses that others are given.
 */
const REFUSED: Readonly<Record<string, RegExp>> = {
  ...NOT_OFFERED,
  'fetch-api-key': /^Your username or password is incorrect/,
  'delete-queue': /^Bad event queue ID/,
  'end-session': /^No such session$/,
  'drop-queue': /^Bad event queue ID/,
  'acknowledge-events': /^Bad event queue ID/,
  'get-file-temporary-url': /^File not found|Not found|does not exist/i,
  'get-uploaded-file': /not found|does not exist/i,
  'download-uploaded-file': /not found|does not exist/i,
  'get-thumbnail': /not found|does not exist/i,
  'get-thumbnail-status': /not found|does not exist/i,
  'get-temporary-file': /not found|does not exist|expired/i,
  'get-export-file': /^File not found/,
  'remove-attachment': /^Invalid attachment/,
  'delete-any-file': /^Invalid attachment/,
  'add-submessage': /^You cannot attach a submessage to this message/,
  'deactivate-custom-emoji': /^Emoji 'skull' does not exist/,
};

/** An example as it goes into a path. */
function textOf(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** The request with every example in its place. */
function filled({ method, path, operation }: Published): { path: string; query: Body; body: Body } {
  const query: Body = {};
  let place = path;
  for (const parameter of operation.parameters ?? []) {
    const structured = parameter.content?.['application/json'];
    const example = structured ? structured.example : parameter.example;
    if (example === undefined) continue;
    if (parameter.in === 'query') query[parameter.name] = example;
    else place = place.replace(`{${parameter.name}}`, encodeURIComponent(textOf(example)));
  }
  const { example = {} } =
    operation.requestBody?.content['application/x-www-form-urlencoded'] ?? {};
  if (/\{\w+\}/.test(place)) throw new Error(`${method} ${place}: a path without an example`);
  return { path: place, query, body: example };
}

async function send(client: ApiClient, one: Published): Promise<Reply> {
  const { path, query, body } = filled(one);
  const text = form(query);
  const sent = form(body);
  const headers: Record<string, string> = { Authorization: client.authorization };
  if (sent !== '') Object.assign(headers, FORM);
  const once = () =>
    exchange(client.url, one.method, `${path}${text === '' ? '' : `?${text}`}`, {
      headers,
      body: sent,
    });
  // Preparing the check of a reply may take longer than the server keeps an idle connection.
  return once().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error;
    return once();
  });
}

// Loaded machines take long to start processes.
t.setTimeout(120_000);

void t.test('every example that is filled in gets the success that is published', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const story = publishedStory(server.url)
    .filter(
      // Files are chosen by whoever tries them, and pictures are no JSON.
      ({ operation, path }) =>
        !operation.requestBody?.content['multipart/form-data'] && path.startsWith('/api/v1'),
    )
    .filter(({ id }) => !/^get-realm-(icon|logo)$/.test(id));
  const wrong: string[] = [];
  for (const one of story) {
    const { status, body } = await send(owner, one);
    const refusal = REFUSED[one.id];
    const isRight = refusal ? status !== 200 && refusal.test(String(body.msg)) : status === 200;
    if (!isRight || body.ignored_parameters_unsupported !== undefined) {
      wrong.push(`${one.id}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
    }
  }
  t.same(wrong, []);
  t.ok(story.length > 140, `${story.length} examples`);
});
