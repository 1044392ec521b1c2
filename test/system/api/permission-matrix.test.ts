import t, { type Test } from 'tap';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { request } from '../harness/bad-requests.js';
import { exchange, form, type ApiClient, type Body } from '../harness/client.js';
import { accessObjection, LISTED } from '../harness/permissions/derived.js';
import { PERMISSIONS, placeOf, WRITTEN } from '../harness/permissions/matrix.js';
import { pictureRequest } from '../harness/permissions/picture.js';
import {
  CALLERS,
  NO_WEBHOOK_BOTS,
  type CallerName,
  type Case,
  type Refusal,
} from '../harness/permissions/roles.js';
import { World } from '../harness/permissions/world.js';

/** What came back: a refusal, or `allowed`. */
type Answer = Refusal | 'allowed';

async function ask(
  world: World,
  endpoint: EndpointDescriptor,
  caller: ApiClient | null,
  parameters: Body,
  picture: boolean,
): Promise<Answer> {
  const headers: Record<string, string> = caller ? { Authorization: caller.authorization } : {};
  if (endpoint.operation === 'open-event-socket') return open(world, caller, parameters);
  if (endpoint.operation === 'open-event-stream') return openStream(world, parameters, headers);
  const { method, path, ...plain } = request('', endpoint, parameters, headers);
  if (endpoint.atRoot) return fetchBytes(world, path.replace('/api/v1', ''), headers);
  const raw = picture ? pictureRequest() : plain;
  const { status, body } = await exchange(world.server.url, method, path, {
    ...raw,
    headers: { ...headers, ...raw.headers },
  });
  return status === 200 ? 'allowed' : refusal(status, body);
}

/** What is at the root is no JSON, unless it is refused. */
async function fetchBytes(
  world: World,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(`${world.server.url}${path}`, { headers });
  const text = await response.text();
  return response.status === 200 ? 'allowed' : refusal(response.status, JSON.parse(text) as Body);
}

function refusal(status: number, { code, msg }: Body): Refusal {
  return { status, code: String(code), msg: String(msg) };
}

/** The same for an upgrade to a WebSocket, which is refused as a request is. */
function open(world: World, caller: ApiClient | null, parameters: Body): Promise<Answer> {
  const some = caller ?? world.owner;
  const socket = some.socket(parameters, caller ? {} : { headers: {} });
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => {
      socket.terminate();
      resolve('allowed');
    });
    socket.on('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
        resolve(refusal(response.statusCode ?? 0, body));
      });
    });
  });
}

/** A stream is refused by an ordinary reply, and does not end where it is allowed. */
async function openStream(
  world: World,
  parameters: Body,
  headers: Record<string, string>,
): Promise<Answer> {
  const connection = new AbortController();
  const response = await fetch(`${world.server.url}/api/v1/events?${form(parameters)}`, {
    headers: { ...headers, Accept: 'text/event-stream' },
    signal: connection.signal,
  });
  if (response.status !== 200) return refusal(response.status, (await response.json()) as Body);
  connection.abort();
  return 'allowed';
}

async function cell(
  world: World,
  endpoint: EndpointDescriptor,
  name: CallerName,
  { given, doomed, picture }: Case,
): Promise<Answer> {
  const caller = doomed ? await world.double(name) : world.caller(name);
  const parameters = given ? await given(world, caller ?? world.owner) : {};
  return ask(world, endpoint, caller, parameters, picture === true);
}

/** A case that refuses a caller. */
interface RefusedCase {
  readonly name: CallerName;
  readonly one: Case;
  readonly refusal: Refusal;
  /** Whether they are refused whatever they ask of what the path names, and not of what this case asks. */
  readonly always: boolean;
}

function* refusals(cases: readonly Case[]): Generator<RefusedCase> {
  for (const one of cases) {
    const alike = cases.filter(({ target }) => target === one.target);
    for (const name of CALLERS) {
      const refusal = one.who[name];
      if (refusal === 'allowed') continue;
      yield { name, one, refusal, always: alike.every(({ who }) => who[name] !== 'allowed') };
    }
  }
}

/** The parameters with such names, of which none has a value that it takes, but those of the path. */
function nonsense(names: readonly string[], path: Body): Body {
  // A ticket is a caller's credentials.
  const garbled = names.filter((name) => name !== 'ticket').map((name) => [name, '{"nonsense":[']);
  return { ...(Object.fromEntries(garbled) as Body), ...path };
}

/** Those that the path has. */
function pathOnly({ path }: EndpointDescriptor, parameters: Body): Body {
  return Object.fromEntries(
    Object.entries(parameters).filter(([name]) => new RegExp(`\\{${name}\\+?\\}`).test(path)),
  );
}

/** Endpoints of which a right goes by the value of a parameter, and by which. */
const BY_VALUE: Readonly<Record<string, string>> = {
  'create-invite-link': 'the role that is given',
  'get-channels': 'a list of all is refused, and `include_all=false` is not',
  'send-invites': 'the role that is given',
  subscribe: 'whether a channel of the name exists, and is private',
  unsubscribe: 'whether somebody else is named',
  'update-channel': 'whether the retention is another one',
  'update-message': 'the channel that is named',
  'update-subscriptions': 'whether a channel of the name exists',
  'update-user': 'the role that is given',
  'update-user-group-members': 'whether only the caller is named',
};

/** What administrators may do that the audit log need not tell, or that the rows do not let change anything, and why. */
const UNTOLD: Readonly<Record<string, string>> = {
  'add-default-channel': 'everybody gets the channel of the example already',
  'get-audit-log': 'shows what the log itself tells',
  'get-console': 'shows figures of the server, no texts, addresses or keys',
  'get-files-usage': 'shows names and sizes of files, not what is in them',
  'get-person-logins': 'shows what browsers somebody is logged in with, and opens none',
  'get-realm-export-consents': 'shows a setting of people that administrators see anyway',
  'get-realm-exports': 'shows where files are; who fetches one is told',
  'get-waiting-mails': 'shows to whom mails are, not what is in them',
  'reorder-custom-profile-fields': 'the fields of the example have that order already',
  'test-welcome-bot-custom-message': 'sends a message to whoever asks, and nobody else',
};

/** Whether a case is what administrators alone may do, because of what it is or because it concerns others. */
function isDeed({ access }: EndpointDescriptor, { who }: Case): boolean {
  if (/administrator|owner/.test(access)) return true;
  return who.administrator === 'allowed' && who['full member'] !== 'allowed';
}

/** The newest record of the audit log. */
async function newestRecord(world: World): Promise<{ id: number; user_id: number | null }> {
  const { records } = await world.owner.ok('GET', '/realm/audit_log', { limit: 1 });
  return (records as { id: number; user_id: number | null }[])[0]!;
}

/** Deeds that were allowed, by whether the audit log tells who did them. */
const told = new Map<string, boolean>();

async function row(t: Test, world: World, endpoint: EndpointDescriptor, one: Case): Promise<void> {
  const actual: Record<string, Answer> = {};
  const expected: Record<string, Answer> = {};
  for (const name of CALLERS) {
    const outcome = one.who[name];
    expected[name] = outcome === 'allowed' ? (one.meets ?? outcome) : outcome;
    // The second of them may set what the first one set.
    const isTold = isDeed(endpoint, one) && (name === 'owner' || name === 'administrator');
    const before = isTold ? (await newestRecord(world)).id : 0;
    actual[name] = await cell(world, endpoint, name, one);
    if (!isTold || actual[name] !== 'allowed') continue;
    const { id, user_id } = await newestRecord(world);
    const isNew = id > before && user_id === world.caller(name)!.userId;
    told.set(endpoint.operation, told.get(endpoint.operation) === true || isNew);
  }
  const { operation } = endpoint;
  const what =
    operation in WRITTEN
      ? operation
      : `${operation}, by its example; if that is not enough, ${placeOf(operation)}`;
  t.strictSame(actual, expected, one.of ?? what);
}

// [c:endpoint-rows]
void t.test('every endpoint has its row, and every row its endpoint', async (t) => {
  const operations = ALL_ENDPOINTS.map((one) => one.operation);
  t.same(Object.keys(PERMISSIONS).sort(), [...new Set(operations)].sort());
  const named = [...Object.keys(WRITTEN), ...LISTED.keys()];
  t.same(
    named.filter((name, i) => !operations.includes(name) || named.indexOf(name) !== i),
    [],
    'what is written is of an endpoint, and said once',
  );
  const place =
    "add 'create-saved-snippet' to PERSONAL in test/system/harness/permissions/personal.ts";
  t.equal(placeOf('create-saved-snippet'), place, 'one that is missing is told its place');
  const others = ALL_ENDPOINTS.filter(({ operation }) => !(operation in WRITTEN));
  t.same(
    others.flatMap((one) => accessObjection(one) ?? []),
    [],
  );
  for (const [operation, cases] of Object.entries(PERMISSIONS)) {
    t.ok(cases.length > 0, operation);
    for (const one of cases) {
      // Otherwise a refusal could be of the parameters.
      t.ok(Object.values(one.who).includes('allowed'), `${operation}: somebody is allowed`);
    }
  }
});

void t.test('an endpoint that is not for all accounts, and in no list, is named', async (t) => {
  const listed = new Map([['get-views', 'owner']] as const);
  t.equal(
    accessObjection({ operation: 'add-view', access: 'administrator' }, listed),
    "add-view declares 'administrator': add it to 'administrator' of NOT_FOR_ALL of " +
      'test/system/harness/permissions/derived.ts',
  );
  t.match(
    accessObjection({ operation: 'get-views', access: 'user' }, listed),
    /^get-views is for all accounts: take it out of 'owner' of NOT_FOR_ALL /,
  );
  t.equal(accessObjection({ operation: 'get-views', access: 'owner' }, listed), null);
  t.equal(accessObjection({ operation: 'add-view', access: 'user' }, listed), null);
});

// [c:callers-refused]
void t.test(
  'an endpoint refuses the callers that the matrix does not name',
  { timeout: 300_000 },
  async (t) => {
    const world = await World.start(t);
    for (const endpoint of ALL_ENDPOINTS) {
      await t.test(endpoint.operation, async (t) => {
        for (const one of PERMISSIONS[endpoint.operation] ?? []) await row(t, world, endpoint, one);
      });
    }

    await t.test('the audit log tells each deed of an administrator', async (t) => {
      const untold = [...told].filter(([, isTold]) => !isTold).map(([operation]) => operation);
      t.same(untold, Object.keys(UNTOLD));
      t.ok(told.size > 25, String(told.size));
    });

    await t.test('whoever may not call is told so before anything of the parameters', async (t) => {
      let count = 0;
      const unused = new Set(Object.keys(BY_VALUE));
      for (const endpoint of ALL_ENDPOINTS) {
        const { operation } = endpoint;
        for (const { name, one, refusal, always } of refusals(PERMISSIONS[operation] ?? [])) {
          if (!always && unused.delete(operation)) continue;
          if (!always && operation in BY_VALUE) continue;
          const caller = world.caller(name);
          const given = (await one.given?.(world, caller ?? world.owner)) ?? {};
          const path = pathOnly(endpoint, given);
          const garbled = nonsense(Object.keys(always ? endpoint.params : given), path);
          for (const parameters of always ? [path, garbled] : [garbled]) {
            const answer = await ask(world, endpoint, caller, parameters, false);
            t.strictSame(answer, refusal, `${operation}: ${name}, ${JSON.stringify(parameters)}`);
            count++;
          }
        }
      }
      t.same([...unused], [], 'each exception is one');
      t.ok(count > 400, String(count));
    });

    await t.test(
      'incoming-webhook bots may only send messages, and pass on those of services',
      async (t) => {
        for (const endpoint of ALL_ENDPOINTS) {
          if (endpoint.access === 'anonymous') continue;
          const [one] = PERMISSIONS[endpoint.operation] ?? [];
          // Things are made as the owner's: the bot could not make them.
          const parameters = (await one?.given?.(world, world.owner)) ?? {};
          const answer = await ask(
            world,
            endpoint,
            world.webhook,
            parameters,
            one?.picture === true,
          );
          const sends = ['send-message', 'receive-webhook', 'probe-webhook'].includes(
            endpoint.operation,
          );
          t.strictSame(answer, sends ? 'allowed' : NO_WEBHOOK_BOTS, endpoint.operation);
        }
      },
    );
  },
);
