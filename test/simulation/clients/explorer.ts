import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { NEVER_GIVEN, ENDPOINTS } from '../../system/harness/endpoints.js';
import { exampleCall, type Ids } from '../../system/harness/example-call.js';
import { replyFault } from '../../system/harness/contract.js';
import { objection } from '../../system/harness/refusals.js';
import type { Body } from '../../system/harness/client.js';
import type { CallOptions, Reply, SimClient } from './client.js';
import { predicted } from './predictions.js';

/** Requests after which it takes a new channel, message, queue and user: the old ones may be gone. */
const REQUESTS_PER_PLACE = 40;
/** What a call gets in place of one parameter, now and then: mostly something that it does not take. */
const ODD: readonly string[] = [
  '',
  '-7',
  '1.5',
  'null',
  '[]',
  '{}',
  '[null, {}]',
  'a\0b',
  '9'.repeat(40),
];
const ODD_SHARE = 0.15;
/** How often it gives an id that it has been given, where the example has another. */
const KNOWN_SHARE = 0.8;
/** While everybody rests, a node answers within so many attempts, with so much time between two, milliseconds. */
const MOST_ATTEMPTS = 10;
const ATTEMPTS_MS = 200;
/** How many ids of a kind it remembers. */
const MOST_KNOWN = 20;

/**
 * Not for a client among others: it ends the account that it uses, the limits of time that writers need, or what is to be
 * downloaded or drawn by another process. Nor the queue that `dont_block` cannot keep from waiting.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['deactivate-own-user', 'begin-two-factor', 'confirm-two-factor', 'get-events'],
  ...[
    'upload-avatar',
    'upload-custom-emoji',
    'upload-file',
    'upload-realm-icon',
    'upload-realm-logo',
  ],
  ...['update-user-by-email', 'fetch-api-key', 'delete-topic', 'make-support-bundle'],
]);

/** What replaces the key of who asks for it. */
const OWN_KEY: ReadonlySet<string> = new Set(['regenerate-own-api-key', 'update-settings']);

/** Headers are compared elsewhere. */
const HEADERS = { 'content-type': 'application/json', 'www-authenticate': 'Basic' };

/** What may be called, by operation. */
export const EXPLORED: readonly EndpointDescriptor[] = ENDPOINTS.filter(
  ({ operation }) => !LEFT_OUT.has(operation),
);

/** Calls every operation of the contract, each with its example or with something odd, at any node. */
export class Explorer {
  private ids: Ids = { userId: 0, streamId: 0, messageId: 0, queueId: '' };
  private readonly known = new Map<string, number[]>();
  private calls = 0;
  /** Operations that a node has answered, and not by 503, since everybody rested: `operation node`. */
  private readonly answered = new Set<string>();
  /** Numbers of requests whose fate is not known: one that is under way may still change what has such an id. */
  private readonly astray = new Set<number>();

  constructor(private readonly client: SimClient) {}

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    while (!world.isResting && !world.isOver) {
      if (this.calls++ % REQUESTS_PER_PLACE === 0) await this.settle();
      if (!world.isResting) await this.one(world.random.pick(EXPLORED));
      await world.scheduler.pause(world.random.between(0, world.habits.pauseMs));
    }
  }

  /**
   * Nobody is kept from what a node has answered before: while everybody rests, it answers within some attempts, and
   * not by 503.
   */
  async askAgain(when: string): Promise<void> {
    const { world, host } = this.client;
    for (const one of this.answered) {
      const [operation = '', node = ''] = one.split(' ');
      const endpoint = EXPLORED.find((each) => each.operation === operation)!;
      for (let attempts = 1; !world.isOver; attempts++) {
        const reply = await this.one(endpoint, { node });
        if (reply !== null && reply.status !== 503) break;
        if (attempts === MOST_ATTEMPTS)
          world.fault(`${host}: ${when}: ${node} answers no ${operation} in ${attempts} attempts`);
        await world.scheduler.pause(ATTEMPTS_MS);
      }
      world.counted('operations that were asked for again at rest');
    }
    this.answered.clear();
  }

  /** @returns the reply, whatever it says */
  private async one(
    endpoint: EndpointDescriptor,
    options: CallOptions = {},
  ): Promise<Reply | null> {
    const parameters = this.parametersOf(endpoint);
    const path = endpoint.path.replace(/\{(\w+)\+?\}/g, (_whole, name: string) => {
      const { [name]: value = 'missing' } = parameters;
      delete parameters[name];
      return encodeURIComponent(String(value));
    });
    return this.ask(endpoint, path, parameters, options);
  }

  /** Asks once, and judges the reply. */
  private async ask(
    endpoint: EndpointDescriptor,
    path: string,
    parameters: Body,
    options: CallOptions = {},
  ): Promise<Reply | null> {
    const { client } = this;
    const { world } = client;
    const { method, operation } = endpoint;
    const setbacks = world.setbacks;
    const { node = client.node } = options;
    const reply = await client.call(method, path, parameters, { ...options, node });
    if (reply === null || reply.status === 503) {
      for (const id of numbersIn(path, parameters)) this.astray.add(id);
    }
    if (reply === null) return null;
    const { status, body } = reply;
    world.counted(`operation ${operation}: ${Math.floor(status / 100)}xx`);
    if (status >= 400) world.counted(`refusal ${operation}: ${String(body.code)}`);
    this.judge(method, path, operation, reply);
    if (status !== 503) this.answered.add(`${operation} ${node}`);
    if (status !== 200) return reply;
    // Of the own account: others have ids in their paths.
    if (OWN_KEY.has(operation) && typeof body.api_key === 'string') client.key = body.api_key;
    this.remember(endpoint.path, body);
    await this.predict(endpoint, path, parameters, reply, setbacks);
    return reply;
  }

  /** Asks for what is known beforehand, of whatever node, unless the store went back since. */
  private async predict(
    endpoint: EndpointDescriptor,
    path: string,
    parameters: Body,
    { body, position }: Reply,
    setbacks: number,
  ): Promise<void> {
    const { client, astray } = this;
    const { world } = client;
    const prediction = predicted(endpoint, path, parameters, body);
    if (prediction === null || position === null) return;
    const isUnsure = numbersIn(prediction.path, prediction.parameters).some((id) => astray.has(id));
    if (isUnsure || numbersIn('', body).some((id) => astray.has(id))) return;
    const headers = { 'Parley-Position': String(position) };
    const { method } = prediction;
    const reply = await client.call(method, prediction.path, prediction.parameters, { headers });
    if (reply === null || reply.status === 503 || world.setbacks !== setbacks) return;
    world.counted(`predicted after ${endpoint.operation}`);
    if (prediction.isExpected(reply)) return;
    const { status } = reply;
    const what = `${method} ${prediction.path} at ${position} after ${endpoint.operation}`;
    world.fault(
      `${client.host}: ${what}: expected ${prediction.expected}, and got ${status} ${shown(reply)}`,
    );
  }

  /** Each body has the published form, and each refusal is one of the contract; 503 says that a server cannot serve. */
  private judge(method: string, path: string, operation: string, reply: Reply): void {
    const { host, world } = this.client;
    const wrong =
      replyFault(method, `/api/v1${path}`, reply.status, reply.body) ?? refusalFault(reply);
    if (wrong !== null) world.fault(`${host}: ${operation}: ${wrong}: ${shown(reply)}`);
  }

  private parametersOf(endpoint: EndpointDescriptor): Body {
    const { random } = this.client.world;
    const parameters: Body = exampleCall(endpoint, this.ids);
    if (endpoint.operation === 'delete-message') parameters.message_id = this.ids.messageId;
    const [kind] = kindOf(endpoint.path);
    const pool = this.known.get(kind);
    for (const name of Object.keys(parameters)) {
      const isOwn = /(^|_)(user|stream|message|queue)_id$/.test(name);
      if (!name.endsWith('_id') || isOwn || !pool || !random.chance(KNOWN_SHARE)) continue;
      parameters[name] = random.pick(pool);
    }
    const names = Object.keys(endpoint.params).filter((name) => !NEVER_GIVEN.has(name));
    if (names.length > 0 && random.chance(ODD_SHARE)) {
      const name = random.pick(names);
      // Whose account, channel or message it is stays its own.
      if (!/user|stream|channel|message|narrow|anchor/.test(name))
        parameters[name] = random.pick(ODD);
    }
    return parameters;
  }

  private remember(path: string, body: Body): void {
    const [kind] = kindOf(path);
    for (const [name, value] of Object.entries(body)) {
      if (!/(^|_)ids?$/.test(name)) continue;
      const ids = [value].flat().filter((one) => typeof one === 'number');
      const known = [...(this.known.get(kind) ?? []), ...ids].slice(-MOST_KNOWN);
      if (known.length > 0) this.known.set(kind, known);
    }
  }

  /** A channel, a message in it, a queue and a user of its own; what cannot be had stays as it was. */
  private async settle(): Promise<void> {
    const name = `explored ${this.calls}`;
    const options: CallOptions = { patienceMs: 2000 };
    const call = async (operation: string, parameters: Body): Promise<Body> => {
      const endpoint = EXPLORED.find((one) => one.operation === operation)!;
      const reply = await this.ask(endpoint, endpoint.path, parameters, options);
      return reply?.status === 200 ? reply.body : {};
    };
    await call('subscribe', { subscriptions: [{ name }] });
    const { stream_id: streamId = this.ids.streamId } = await call('get-channel-id', {
      stream: name,
    });
    const said = { type: 'channel', to: streamId as number, topic: 'castle', content: name };
    const { id: messageId = this.ids.messageId } = await call('send-message', said);
    const { queue_id: queueId = this.ids.queueId } = await call('register-queue', {
      event_types: [],
      fetch_event_types: [],
    });
    const email = `explored${this.calls}@example.com`;
    const account = { email, full_name: name, password: `willow-${name}-47` };
    const { user_id: userId = this.ids.userId } = await call('create-user', account);
    this.ids = { userId, streamId, messageId, queueId } as Ids;
  }
}

/** Why a refusal is none of the contract, or null; one that says that a server cannot serve is none of an operation. */
function refusalFault({ status, body }: Reply): string | null {
  if (status < 400 || status === 503) return null;
  return objection({ status, body, text: JSON.stringify(body), headers: HEADERS });
}

function shown({ body }: Reply): string {
  return JSON.stringify(body).slice(0, 300);
}

/** Numbers of a request or a reply, any of which may be an id. */
function numbersIn(path: string, body: Body): number[] {
  const values = [...path.split('/'), ...Object.values(body).flat()];
  return values.map(Number).filter((one) => Number.isInteger(one) && one > 0);
}

/** What a path is about: its first part that is no parameter, below the organization and the own account. */
function kindOf(path: string): [string] {
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  const own = parts.filter((part) => part !== 'realm' && part !== 'create');
  return [own[0] === 'users' && own[1] === 'me' ? (own[2] ?? 'me') : (own[0] ?? '')];
}
