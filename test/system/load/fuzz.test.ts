import t, { type Test } from 'tap';
import { SnapshotClient } from '../harness/apply/apply-events.js';
import {
  badBodies,
  badCredentials,
  badParameters,
  hugeParameter,
  randomRequest,
  request,
  type BadRequest,
} from '../harness/bad-requests.js';
import { exchange, type ApiClient, type Body, type Reply } from '../harness/client.js';
import { ENDPOINTS as ALL, validParameters } from '../harness/endpoints.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { objection } from '../harness/refusals.js';
import { shareOf } from '../../shares.js';
import { fullScale, randomOfRun, scaled } from '../harness/scale.js';

/** Each platform of a landing takes a third. */
const ENDPOINTS = shareOf(ALL);
const RANDOM_REQUESTS = Math.ceil((scaled(1400, 10_000) * ENDPOINTS.length) / ALL.length);
/** Longer than any answer takes; a request that must not wait does not wait. */
const ANSWER_MS = 20_000;
/** Everything there is to see; notification settings as they are stored, not as they are inherited. */
const REGISTRATION = {
  all_public_streams: true,
  client_capabilities: { notification_settings_null: true },
};
/**
 * Events that may come after the reply, so that an earlier request caused them (architecture.md#deferred), or work that
 * goes on after it.
 */
const DEFERRED: ReadonlySet<unknown> = new Set([
  'typing',
  'typing_edit_message',
  'presence',
  'realm_export',
]);
/** Faults shown in full; the rest only count. */
const SHOWN = 300;

/** Sends bad requests and watches, by events and by snapshots, that refusals change nothing. */
class Target {
  /** What was wrong, each with the first request that showed it. */
  private readonly found = new Map<string, string>();
  count = 0;
  refused = 0;

  private constructor(
    readonly owner: ApiClient,
    private readonly watcher: QueueReader,
    private readonly state: SnapshotClient,
    readonly valid: Readonly<Record<string, Body>>,
    private readonly running: () => boolean,
  ) {}

  static async start(t: Test): Promise<Target> {
    const { owner, server } = await startOrganization(t);
    const { queue_id: queueId } = await owner.register({ fetch_event_types: [] });
    const messageId = await owner.say('to be aimed at');
    const snapshot = await owner.register(REGISTRATION);
    const [general] = snapshot.subscriptions as { stream_id: number }[];
    const ids = { userId: owner.userId, streamId: general!.stream_id, messageId, queueId };
    const state = new SnapshotClient(owner.userId, snapshot, REGISTRATION);
    const watcher = QueueReader.from(owner, snapshot);
    return new Target(owner, watcher, state, validParameters(ids), () => server.running);
  }

  get headers(): Record<string, string> {
    return { Authorization: this.owner.authorization };
  }

  /** Parameters that are right; a queue that was deleted is replaced by nothing. */
  parameters(operation: string): Body {
    return this.valid[operation] ?? {};
  }

  /** Sends one; whether it was refused. */
  async send(bad: BadRequest): Promise<Reply | null> {
    this.count += 1;
    let reply: Reply;
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      reply = await exchange(this.owner.url, bad.method, bad.path, { ...bad, signal });
    } catch (error) {
      // A body that is too large may be refused by closing while it is still being sent.
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE' || !tooLarge(bad)) {
        this.blame(String(error), bad);
      }
      return null;
    }
    const wrong = bad.method === 'OPTIONS' ? null : objection(reply);
    if (wrong) this.blame(wrong, bad);
    const changes = await this.changes();
    if (reply.status !== 200 && reply.status !== 204) {
      this.refused += 1;
      if (changes.length > 0) {
        this.blame(`refused (${String(reply.body.msg)}) but: ${changes[0]}`, bad);
      }
    }
    return reply;
  }

  /** Nothing changed but what events told of, the server lives, and no reply was at fault. */
  async check(t: Test): Promise<void> {
    t.ok(this.running(), 'the server lives');
    const fresh = await this.owner.register(REGISTRATION);
    // Fields that a client has to ask for anew after a deletion are not compared.
    const { unknown } = this.state;
    const actual = announced(new SnapshotClient(this.owner.userId, fresh), unknown);
    const state = withoutLostTexts(announced(this.state, unknown), actual);
    t.strictSame(state, actual, 'the state is what the events said');
    t.same(this.faults, [], `${this.count} requests, ${this.refused} of them refused`);
    t.ok(this.refused > this.count / 5, 'most of them were really bad');
  }

  get faults(): string[] {
    return [...this.found].slice(0, SHOWN).map(([fault, name]) => `${name}: ${fault}`);
  }

  private blame(fault: string, { name }: BadRequest): void {
    if (!this.found.has(fault)) this.found.set(fault, name);
  }

  private async changes(): Promise<string[]> {
    const events = await this.watcher.now();
    for (const event of events) this.state.apply(event);
    return events.filter(({ type }) => !DEFERRED.has(type)).map((event) => JSON.stringify(event));
  }
}

/**
 * A state without the texts of reminders whose message its user can no longer read: the snapshot no longer has them, and
 * no event says so, because the event by which the message was lost does.
 */
function withoutLostTexts(state: Body, actual: Body): Body {
  if (actual.reminders === undefined) return state;
  const lost = new Map(
    (actual.reminders as Body[])
      .filter(({ content }) => /for a message that is no longer available/.test(String(content)))
      .map((one) => [one.reminder_id, one]),
  );
  const reminders = (state.reminders as Body[]).map((one) => {
    const { content, rendered_content } = lost.get(one.reminder_id) ?? one;
    return { ...one, content, rendered_content };
  });
  return { ...state, reminders };
}

/**
 * What a client knows, without presence: events tell only who comes online, and not that an account is still
 * there a minute later, or idle (events-people.md#people); clients ask for that.
 */
function announced(client: SnapshotClient, unknown: ReadonlySet<string>): Body {
  const { presences: _polled, ...rest } = client.comparable();
  return Object.fromEntries(Object.entries(rest).filter(([field]) => !unknown.has(field)));
}

function tooLarge({ body = '' }: BadRequest): boolean {
  return body.length > 1024 * 1024;
}

// [c:fuzzed-parameters]
void t.test('every parameter of every endpoint', async (t) => {
  const random = randomOfRun(t);
  const target = await Target.start(t);
  for (const endpoint of ENDPOINTS) {
    const valid = target.parameters(endpoint.operation);
    // A fifth of them, another one each run; all at full size.
    let number = Math.floor(random() * 5);
    for (const bad of badParameters(endpoint, valid, target.headers)) {
      number += 1;
      if (fullScale || number % 5 === 0) await target.send(bad);
    }
  }
  await target.check(t);
});

// [c:missing-parameters]
void t.test('missing parameters are named', async (t) => {
  const target = await Target.start(t);
  for (const endpoint of ENDPOINTS) {
    for (const [name, parameter] of Object.entries(endpoint.params)) {
      if (parameter.presence !== 'required' || endpoint.path.includes(`{${name}`)) continue;
      const { [name]: _left, ...others } = target.parameters(endpoint.operation);
      const bad = request(`${endpoint.operation} ${name}`, endpoint, others, target.headers);
      const { status, body } = (await target.send(bad))!;
      t.strictSame(
        { status, body },
        {
          status: 400,
          body: {
            result: 'error',
            msg: `Missing '${name}' argument`,
            code: 'REQUEST_VARIABLE_MISSING',
            var_name: name,
          },
        },
        bad.name,
      );
    }
  }
});

void t.test(`10 MB in ${fullScale ? 'every parameter' : 'one parameter'} of each`, async (t) => {
  const random = randomOfRun(t);
  const target = await Target.start(t);
  for (const endpoint of ENDPOINTS) {
    const names = Object.keys(endpoint.params).filter((name) => name !== 'dont_block');
    const chosen = fullScale ? names : names.slice(Math.floor(random() * names.length)).slice(0, 1);
    for (const name of chosen) {
      const valid = target.parameters(endpoint.operation);
      await target.send(hugeParameter(endpoint, name, valid, target.headers));
    }
  }
  await target.check(t);
});

void t.test('bodies that are no form', async (t) => {
  const target = await Target.start(t);
  for (const endpoint of ENDPOINTS) {
    const valid = target.parameters(endpoint.operation);
    for (const bad of badBodies(endpoint, valid, target.headers)) await target.send(bad);
  }
  t.same(target.faults, []);
});

void t.test('invalid credentials are refused at every endpoint', async (t) => {
  const target = await Target.start(t);
  const { owner } = target;
  for (const [what, header] of Object.entries(badCredentials(owner.email, owner.key))) {
    for (const endpoint of ENDPOINTS) {
      const valid = target.parameters(endpoint.operation);
      const name = `${endpoint.operation}, ${what}`;
      const reply = await target.send(request(name, endpoint, valid, { Authorization: header }));
      // An endpoint without credentials may refuse for reasons of its own.
      const refused = reply?.status === 401;
      if (refused !== (endpoint.access !== 'anonymous')) t.fail(`${name}: ${reply?.status}`);
    }
  }
  t.same(target.faults, []);
});

void t.test(`${RANDOM_REQUESTS} random requests`, async (t) => {
  const random = randomOfRun(t);
  const target = await Target.start(t);
  const { owner, valid } = target;
  const credentials = Object.values(badCredentials(owner.email, owner.key));
  for (let i = 0; i < RANDOM_REQUESTS; i++) {
    await target.send(randomRequest(random, ENDPOINTS, valid, owner.authorization, credentials));
  }
  await target.check(t);
});
