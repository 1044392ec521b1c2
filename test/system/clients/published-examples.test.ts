import t from 'tap';
import { openApiDocument } from '../../../schemas/openapi/document.js';
import { ApiClient, exchange, form, FORM, type Body, type Reply } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

/** An operation as it is published, ready to be sent as a page fills it in. */
interface Published {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: {
    readonly parameters?: readonly Parameter[];
    readonly requestBody?: { readonly content: Record<string, { readonly example?: Body }> };
  };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly example?: unknown;
  readonly content?: Record<string, { readonly example?: unknown }>;
}

const PUBLISHED: readonly Published[] = Object.entries(
  openApiDocument('http://127.0.0.1').paths as Record<string, Record<string, Body>>,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    id: String(operation.operationId),
    method: method.toUpperCase(),
    path,
    operation: operation,
  })),
);

/**
 * What cannot succeed with what a page can know, and how it is answered: secrets and addresses that others
 * are given, and what this server refuses to everybody.
 */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'fetch-api-key': /^Your username or password is incorrect/,
  'fetch-api-key-by-token': /^JWT authentication is not enabled/,
  'delete-queue': /^Bad event queue ID/,
  'get-file-temporary-url': /^File not found|Not found|does not exist/i,
  'get-uploaded-file': /not found|does not exist/i,
  'download-uploaded-file': /not found|does not exist/i,
  'get-thumbnail-status': /not found|does not exist/i,
  'get-temporary-file': /not found|does not exist|expired/i,
  'remove-attachment': /^Invalid attachment/,
  'deactivate-custom-emoji': /^Emoji 'skull' does not exist/,
  'get-channel-email-address': /not supported/,
  'report-message': /moderation|report/i,
  'register-push-device': /^Missing parameters/,
  'send-test-notification': /./,
  'send-encrypted-test-notification': /./,
  'deactivate-realm': /not supported/,
  'deactivate-own-user': /^Cannot deactivate the only organization owner/,
  'export-realm': /^Exports over the API/,
  'delete-realm-export': /^Invalid data export ID/,
  'create-video-call': /^Zoom is not configured/,
  'get-video-call': /^BigBlueButton is not configured/,
  'check-subdomain': /one organization/,
};

/** Ends the credentials that the others are sent with. */
const LAST: ReadonlySet<string> = new Set(['regenerate-own-api-key', 'delete-message']);
/** Their numbers stand in other examples, so they come first, in this order. */
const FIRST = ['create-scheduled-message', 'send-message', 'create-user', 'create-bot'];
/** What others need to have happened. */
const EARLY: ReadonlySet<string> = new Set(['update-realm', 'update-presence']);
/** What those who also remove still need. */
const LATE: ReadonlySet<string> = new Set(['reactivate-user', 'delete-custom-profile-field']);

/** What makes things goes before what reads and changes them, and what removes them comes after. */
function turn({ id }: Published): number {
  if (LAST.has(id)) return 9;
  if (FIRST.includes(id)) return FIRST.indexOf(id) - FIRST.length;
  if (/^(create|add|send|subscribe|register)/.test(id) || EARLY.has(id)) return 2;
  if (LATE.has(id)) return 8;
  if (/^(remove|delete|deactivate|revoke|archive|unsubscribe|unmute)/.test(id)) return 7;
  return id.startsWith('update') ? 4 : 3;
}

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
  const forms = PUBLISHED.filter(
    // Files are chosen by whoever tries them, and pictures are no JSON.
    ({ operation, path }) =>
      !operation.requestBody?.content['multipart/form-data'] && path.startsWith('/api/v1'),
  ).filter(({ id }) => !/^get-realm-(icon|logo)$/.test(id));
  const story = [...forms].sort((a, b) => turn(a) - turn(b));
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
