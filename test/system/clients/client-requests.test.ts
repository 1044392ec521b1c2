/** client-requests.md: every form in which public clients send requests. */
import t from 'tap';
import { ApiClient, exchange, type Reply } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import { MadeForRequest, PIXEL } from './fixtures/made-for-requests.js';
import { rowsOf, type Row } from './fixtures/request-table.js';

const ROWS = rowsOf('docs/contract/client-requests.md');

const BOUNDARY = 'field-of-clients';
const FORM = 'application/x-www-form-urlencoded';

/** A request as it goes over the wire. */
interface Sent {
  readonly query: string;
  readonly contentType?: string;
  readonly body?: string | Buffer;
}

function pairsOf(parameters: readonly string[]): [string, string][] {
  return parameters.map((one) => {
    const end = one.indexOf('=');
    return [one.slice(0, end), one.slice(end + 1)];
  });
}

function parts(parameters: readonly string[]): string {
  const all = pairsOf(parameters).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${all.join('')}--${BOUNDARY}--\r\n`;
}

function filePart(disposition: string): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\nContent-Type: image/png\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), PIXEL, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

/** @param parameters filled in */
function wireOf({ place }: Row, parameters: readonly string[]): Sent {
  const encoded = new URLSearchParams(pairsOf(parameters)).toString();
  const multipart = `multipart/form-data;boundary=${BOUNDARY}`;
  switch (place) {
    case 'none':
      return { query: '' };
    case 'query':
      return { query: `?${encoded}` };
    case 'form':
      return { query: '', contentType: FORM, body: encoded };
    case 'multipart':
      return { query: '', contentType: multipart, body: parts(parameters) };
    case 'json':
      return { query: '', contentType: 'application/json', body: parameters[0]! };
    case 'file':
      return { query: '', contentType: multipart, body: filePart(parameters[0]!) };
  }
}

async function send(owner: ApiClient, row: Row, made: MadeForRequest): Promise<Reply> {
  const path = await made.fill(row.path);
  const parameters: string[] = [];
  for (const one of row.parameters) parameters.push(await made.fill(one));
  const { query, contentType, body } = wireOf(row, parameters);
  const prefix = path.startsWith('//') ? `/api/v1/${path.slice(1)}` : `/api/v1${path}`;
  const headers = {
    Authorization: owner.authorization,
    ...(contentType && { 'Content-Type': contentType }),
  };
  return exchange(owner.url, row.method, prefix + query, { headers, body });
}

void t.test('every request of a public client gets the answer of its row', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const user = await owner.createUser('colleague');
  const { queue_id, last_event_id } = await owner.register({ fetch_event_types: [] });
  for (const row of ROWS) {
    const said = `${row.method} ${row.path} ${row.place} ${row.parameters.join(' ')} (${row.sentBy})`;
    const reply = await send(owner, row, new MadeForRequest(owner, user)).catch(String);
    if (typeof reply === 'string') {
      t.fail(`${said}: ${reply}`);
      continue;
    }
    const { status, body } = reply;
    const { ignored_parameters_unsupported: ignored = [], msg } = body;
    const { has, ...answer } = row.answer;
    t.strictSame({ status, msg, ignored }, answer, said);
    t.match(body, has, said);
  }
  t.ok(ROWS.length > 250, 'the table is there');
  const ids: number[] = [];
  let last = last_event_id;
  for (;;) {
    const events = await owner.poll(queue_id, last, { dontBlock: true });
    if (events.length === 0) break;
    ids.push(...events.map(({ id }) => id));
    last = ids.at(-1)!;
  }
  t.same(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
    'a poll gives what they caused, each once, in order',
  );
  t.ok(ids.length > ROWS.length / 2, 'and much was caused');
});
