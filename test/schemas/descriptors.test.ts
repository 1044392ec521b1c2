import t from 'tap';
import { Value } from 'typebox/value';
import * as channels from '../../schemas/channels/channels.js';
import * as poll from '../../schemas/queues/events-poll.js';
import * as messages from '../../schemas/messages/messages.js';
import * as presence from '../../schemas/presence/presence.js';
import * as register from '../../schemas/queues/register.js';
import * as server from '../../schemas/realm/server-settings.js';
import * as settings from '../../schemas/users/settings.js';
import { ALL_ENDPOINTS } from '../../schemas/endpoints.js';
import type { EndpointDescriptor, Param } from '../../schemas/endpoint.js';
import { MAX_MESSAGE_LENGTH, MAX_PARAMETER_LENGTH } from '../../schemas/limits.js';

// A socket is opened at the route of the poll.
const descriptors = ALL_ENDPOINTS.filter((one) => !one.operation.startsWith('open-event-'));

function paramsOf(descriptor: EndpointDescriptor): [string, Param][] {
  return Object.entries(descriptor.params);
}

interface Node {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly anyOf?: Node[];
  readonly items?: Node | Node[];
  readonly properties?: Record<string, Node>;
}

/** Whether every text and list inside has a bound. */
function bounded(node: Node): boolean {
  if (node.type === 'string' && !('const' in node) && node.maxLength === undefined) return false;
  // A tuple is an array whose items are listed.
  if (node.type === 'array' && !Array.isArray(node.items) && node.maxItems === undefined) {
    return false;
  }
  const items = Array.isArray(node.items) ? node.items : node.items ? [node.items] : [];
  return [...(node.anyOf ?? []), ...items, ...Object.values(node.properties ?? {})].every(bounded);
}

void t.test('operations and routes are unique', async (t) => {
  const operations = descriptors.map((one) => one.operation);
  t.equal(new Set(operations).size, operations.length);
  for (const operation of operations) t.match(operation, /^[a-z]+(-[a-z]+)*$/);
  const routes = descriptors.map((one) => `${one.method} ${one.path}`);
  t.equal(new Set(routes).size, routes.length);
});

void t.test('path parameters are declared and required', async (t) => {
  for (const { path, operation, params } of descriptors) {
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
      t.equal(params[name!]?.presence, 'required', `${operation} ${name}`);
    }
  }
});

void t.test('every default is a value of its parameter', async (t) => {
  for (const descriptor of descriptors) {
    for (const [name, param] of paramsOf(descriptor)) {
      if (param.presence !== 'default') continue;
      t.ok(Value.Check(param.schema, param.fallback), `${descriptor.operation} ${name}`);
    }
  }
});

void t.test('no parameter name is also an alias of another', async (t) => {
  for (const descriptor of descriptors) {
    const params = paramsOf(descriptor);
    const all = params.flatMap(([name, param]) => [name, ...param.aliases]);
    t.equal(new Set(all).size, all.length, descriptor.operation);
  }
});

void t.test('texts and lists are bounded', async (t) => {
  for (const descriptor of descriptors) {
    for (const [name, param] of paramsOf(descriptor)) {
      t.ok(bounded(param.schema), `${descriptor.operation} ${name}`);
    }
  }
});

// [c:poll-takes-register-parameters]
void t.test('a poll takes every register parameter', async (t) => {
  for (const name of Object.keys(register.registerQueue.params)) {
    t.ok(name in poll.getEvents.params, name);
  }
  t.same(poll.getEvents.params.queue_lifespan_secs.aliases, ['lifespan_secs']);
  t.equal(poll.getEvents.params.queue_id.presence, 'optional');
});

void t.test('register takes the spellings clients use', async (t) => {
  const { params } = register.registerQueue;
  t.equal(params.include_subscribers.wire, 'lenient');
  t.ok(Value.Check(params.include_subscribers.schema, 'partial'));
  t.notOk(Value.Check(params.include_subscribers.schema, 'all'));
  t.equal(params.idle_queue_timeout.wire, 'lenient');
  t.ok(Value.Check(params.idle_queue_timeout.schema, 'mobile'));
  t.ok(Value.Check(params.idle_queue_timeout.schema, 600));
  t.notOk(Value.Check(params.idle_queue_timeout.schema, 0));
  t.ok(params.event_types.nullMeansAbsent);
  t.ok(params.fetch_event_types.nullMeansAbsent);
  t.ok(Value.Check(params.narrow.schema, [['stream', 'Denmark']]));
  t.notOk(Value.Check(params.narrow.schema, [['stream']]));
  const capabilities = params.client_capabilities.schema;
  t.ok(Value.Check(capabilities, { bulk_message_deletion: true, from_the_future: 'x' }));
  t.notOk(Value.Check(capabilities, { bulk_message_deletion: 'yes' }));
});

void t.test('long messages pass, to be cut later', async (t) => {
  const { content, topic } = messages.sendMessage.params;
  t.ok(Value.Check(content.schema, 'x'.repeat(MAX_MESSAGE_LENGTH * 2)));
  t.match(content.schema, { maxLength: MAX_PARAMETER_LENGTH });
  t.same(topic.aliases, ['subject']);
});

void t.test('a search takes objects and legacy pairs', async (t) => {
  const { narrow } = messages.getMessages.params;
  t.ok(Value.Check(narrow.schema, [{ operator: 'channel', operand: 7, negated: true }]));
  t.ok(Value.Check(narrow.schema, [{ operator: 'dm', operand: [1, 2] }]));
  t.ok(Value.Check(narrow.schema, [['pm-with', 'a@b.c, d@e.f']]));
  t.notOk(Value.Check(narrow.schema, [{ operator: 'channel' }]));
  t.notOk(Value.Check(narrow.schema, ['channel']));
  t.notOk(Value.Check(narrow.schema, new Array(101).fill(['is', 'dm'])));
});

void t.test('an endpoint declares who may call it: anybody, a human, a member', async (t) => {
  t.equal(server.getServerSettings.access, 'anonymous');
  t.equal(server.fetchApiKey.access, 'anonymous');
  t.equal(settings.updateSettings.access, 'human');
  t.equal(presence.updatePresence.access, 'human');
  t.equal(channels.subscribe.access, 'member');
});

/** Lists of one endpoint of which no entry meets an entry of the other: the work is their sum. */
const ADDED_UP: readonly string[] = [
  'create-invite-link stream_ids group_ids',
  'create-user-group members subgroups',
  'get-events event_types fetch_event_types',
  'get-events event_types narrow',
  'get-events fetch_event_types narrow',
  'receive-webhook only_events exclude_events',
  'register-queue event_types fetch_event_types',
  'register-queue event_types narrow',
  'register-queue fetch_event_types narrow',
  'send-invites stream_ids group_ids',
  'update-subscriptions add delete',
  'update-user-group-members add delete',
  'update-user-group-members add add_subgroups',
  'update-user-group-members add delete_subgroups',
  'update-user-group-members delete add_subgroups',
  'update-user-group-members delete delete_subgroups',
  'update-user-group-members add_subgroups delete_subgroups',
  'update-user-group-subgroups add delete',
];

/** Whether a value is a list, or a text that lists something. */
function lists(node: Node & { readonly maxEntries?: number }): boolean {
  if (node.type === 'array') return !Array.isArray(node.items);
  return node.maxEntries !== undefined || (node.anyOf ?? []).some(lists);
}

void t.test('every product of two lists has a bound', async (t) => {
  const free: string[] = [];
  for (const { operation, params, pairs = [] } of descriptors) {
    const names = Object.keys(params).filter((name) => lists(params[name]!.schema));
    for (const { of } of pairs) for (const name of of) t.ok(name in params, `${operation} ${name}`);
    names.forEach((first, i) => {
      for (const second of names.slice(i + 1)) {
        if (pairs.some(({ of }) => of.includes(first) && of.includes(second))) continue;
        free.push(`${operation} ${first} ${second}`);
      }
    });
  }
  t.strictSame(free.sort(), [...ADDED_UP].sort());
});
