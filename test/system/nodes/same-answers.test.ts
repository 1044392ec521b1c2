import { request as send } from 'node:http';
import t, { type Test } from 'tap';
import {
  badBodies,
  badCredentials,
  badParameters,
  randomRequest,
  request,
  type BadRequest,
} from '../harness/bad-requests.js';
import { ApiClient, type Body } from '../harness/client.js';
import { ENDPOINTS, validParameters } from '../harness/endpoints.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import { randomOfRun, scaled } from '../harness/scale.js';

/*
 * A client cannot tell a follower from the leader: whatever it asks, it gets the same status, the same header
 * lines in the same order, and the same bytes.
 */

const RANDOM_REQUESTS = scaled(700, 20_000);
/** Which part of the wrong parameters and bodies is sent, another one each run. */
const WRONG_PART = scaled(0.15, 1);
/** Header lines that differ from reply to reply of one node, too. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['date', 'parley-position']);
const FOLLOWS = /^Parley follows on/m;
/** Differences shown in full. */
const SHOWN = 10;

/** A leader, two followers, and what requests need. */
interface Nodes {
  readonly leader: string;
  readonly near: string;
  readonly far: string;
  readonly owner: ApiClient;
  readonly valid: Readonly<Record<string, Body>>;
  readonly headers: Record<string, string>;
}

async function startNodes(t: Test): Promise<Nodes> {
  // Without it each node names its own address.
  const options = { args: ['--url', 'https://chat.example.org'] };
  const leader = await RunningServer.start(t, options);
  const followers = [1, 2].map(() => RunningServer.spawn(leader.folder, options));
  for (const follower of followers) {
    t.teardown(() => follower.kill());
    await follower.printed(FOLLOWS);
    await follower.listening();
  }
  const owner = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  const messageId = await owner.say('to be aimed at');
  const snapshot = await owner.register({ fetch_event_types: ['subscription'] });
  const [general] = snapshot.subscriptions as { stream_id: number }[];
  const valid = validParameters({
    userId: owner.userId,
    streamId: general!.stream_id,
    messageId,
    queueId: snapshot.queue_id,
  });
  const [near, far] = followers;
  const headers = { Authorization: owner.authorization };
  return { leader: leader.url, near: near!.url, far: far!.url, owner, valid, headers };
}

/** A reply as it came. */
interface Answer {
  readonly status: number;
  /** Name and value by turns. */
  readonly lines: readonly string[];
  readonly text: string;
  readonly position: string;
}

function ask(url: string, { method, path, headers, body = '' }: BadRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { 'Content-Length': Buffer.byteLength(body) } : {};
    const sent = send(`${url}${path}`, { method, headers: { ...headers, ...length } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          lines: response.rawHeaders,
          text: Buffer.concat(chunks).toString('latin1'),
          position: String(response.headers['parley-position']),
        });
      });
    });
    sent.end(body);
  });
}

/** What must be the same of a reply, as a text. */
function comparable({ status, lines, text }: Answer): string {
  const hasClock = text.includes('"server_timestamp"');
  const kept = [String(status)];
  for (let i = 0; i < lines.length; i += 2) {
    const name = lines[i]!.toLowerCase();
    // A reading of the clock has more digits or fewer.
    const differs = OF_THE_MOMENT.has(name) || (hasClock && name === 'content-length');
    const value = name === 'x-request-id' ? 'its own' : lines[i + 1];
    if (!differs) kept.push(`${lines[i]}: ${value}`);
  }
  return [...kept, text.replace(/"server_timestamp":[\d.]+/, '"server_timestamp":…')].join('\n');
}

/** Asks follower and leader the same; what differs, or null. */
async function difference({ leader, near }: Nodes, asked: BadRequest): Promise<string | null> {
  const [here, there] = [await ask(near, asked), await ask(leader, asked)];
  // A mail left meanwhile.
  const isOfMails = asked.path.startsWith('/api/v1/realm/console/mails');
  if (isOfMails && here.status === 200 && there.status === 200) return null;
  // The first one changed something, so that the second finds something else.
  if (asked.method !== 'GET' && Math.min(here.status, there.status) < 300) return null;
  // A poll may register a queue, whose name is another one each time.
  const isPoll = asked.path.startsWith('/api/v1/events');
  if (isPoll && here.status === 200 && there.status === 200) return null;
  // Each node tells its own figures.
  if (asked.path.startsWith('/api/v1/realm/console') && here.status === 200 && there.status === 200)
    return null;
  const [first, second] = [comparable(here), comparable(there)];
  return first === second
    ? null
    : `${asked.name}: ${asked.method} ${asked.path}\n${first}\n${second}`;
}

async function compareAll(t: Test, nodes: Nodes, all: Iterable<BadRequest>): Promise<void> {
  const differences: string[] = [];
  let count = 0;
  for (const one of all) {
    count += 1;
    const found = await difference(nodes, one);
    if (found !== null) differences.push(found);
  }
  t.same(differences.slice(0, SHOWN), [], `${count} requests, ${differences.length} differences`);
}

void t.test('a follower refuses what the leader refuses, by the same bytes', async (t) => {
  const random = randomOfRun(t);
  const nodes = await startNodes(t);
  const { owner, valid, headers } = nodes;
  const credentials = badCredentials(owner.email, owner.key);
  function* all(): Generator<BadRequest> {
    for (const endpoint of ENDPOINTS) {
      const given = valid[endpoint.operation] ?? {};
      for (const [what, header] of Object.entries(credentials)) {
        const name = `${endpoint.operation}, ${what}`;
        yield request(name, endpoint, given, { Authorization: header });
      }
      for (const bad of badParameters(endpoint, given, headers)) {
        if (random() < WRONG_PART) yield bad;
      }
      for (const bad of badBodies(endpoint, given, headers)) if (random() < WRONG_PART) yield bad;
    }
    for (let i = 0; i < RANDOM_REQUESTS; i++) {
      const wrong = Object.values(credentials);
      yield randomRequest(random, ENDPOINTS, valid, owner.authorization, wrong);
    }
  }
  await compareAll(t, nodes, all());
});

/** Not `/health`, which says what the node does. */
const PATHS = [
  ...['/', '/docs', '/docs/', '/openapi.json', '/favicon.ico', '/metrics', '/nothing'],
  ...['/login', '/login/', '/register/', '/join/x/', '/signup', '/accounts/password/reset/'],
  ...['/api/v1', '/api/v1/', '/api/v1/nothing', '/api/v1//messages', '/api/v1/messages/'],
  ...['/api/v1/messages', '/api/v1/users/me', '/api/v1/register', '/api/v1/server_settings'],
  ...['/internal/queues', '/api/v1/internal/queues', '/avatar/1', '/avatar/owner@example.org'],
  ...['/user_uploads/1/aa/b.txt', '/%zz', '//'],
];
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

void t.test('every method of pages, files, and paths that are none', async (t) => {
  const nodes = await startNodes(t);
  const { headers } = nodes;
  const kinds: readonly Record<string, string>[] = [
    {},
    headers,
    { Accept: 'text/html' },
    { ...headers, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    { ...headers, 'Accept-Encoding': 'br, gzip' },
  ];
  const all = PATHS.flatMap((path) =>
    METHODS.flatMap((method) => kinds.map((kind) => ({ name: '', method, path, headers: kind }))),
  );
  await compareAll(t, nodes, all);
});

void t.test('what was written is read at once there, and elsewhere by its position', async (t) => {
  const nodes = await startNodes(t);
  const { leader, near, far, headers, valid } = nodes;
  const parametersOf = (operation: string): Body => valid[operation] ?? {};
  const readings = ENDPOINTS.filter(({ method }) => method === 'GET')
    .filter(({ operation }) => !['get-events', 'get-console'].includes(operation))
    // Mails leave while others read of them.
    .filter(({ operation }) => operation !== 'get-waiting-mails')
    .map((endpoint) => {
      const one = request(endpoint.operation, endpoint, parametersOf(endpoint.operation), {});
      return { ...one, path: `${one.path}?${String(one.body)}`, body: '' };
    });
  let writes = 0;
  for (const endpoint of ENDPOINTS) {
    const { method, operation } = endpoint;
    if (method === 'GET') continue;
    const written = await ask(near, request('', endpoint, parametersOf(operation), headers));
    if (written.status !== 200) continue;
    writes += 1;
    const elsewhere = { ...headers, 'Parley-Position': written.position };
    const differ: string[] = [];
    await Promise.all(
      readings.map(async (reading) => {
        const answers = await Promise.all([
          ask(near, { ...reading, headers }),
          ask(far, { ...reading, headers: elsewhere }),
          ask(leader, { ...reading, headers }),
        ]);
        const texts = new Set(answers.map(comparable));
        if (texts.size > 1) differ.push(`${reading.name}:\n${[...texts].join('\n')}`);
      }),
    );
    t.same(differ, [], operation);
  }
  t.ok(writes > 80, `${writes} writes, each with ${readings.length} readings at three nodes`);
});
