import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { subscriptionPropertyHandlers } from '../../../../src/resources/channels/subscription-properties.js';
import { call } from '../../../fixtures/call.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

function fixture() {
  const test = new TestOrganization();
  const ann = test.user();
  const [channel, other] = [test.channel(), test.channel()];
  for (const one of [channel, other]) test.subscribe(ann, one);
  const handlers = subscriptionPropertyHandlers();
  const stream_id = channel.stream_id;
  const one = (property: string, value: unknown, id = stream_id) =>
    call(test, handlers, 'update-subscription-property', ann, { stream_id: id, property, value });
  const many = (subscription_data: object[]) =>
    call(test, handlers, 'update-subscription-properties', ann, { subscription_data });
  const sub = () => test.org.subscriptions.of(ann.user_id, stream_id)!;
  return { test, ann, channel, other, stream_id, one, many, sub };
}

// [c:subscription-changed]
void t.test('a change is stored and told to the user alone', async (t) => {
  const { ann, stream_id, one, sub } = fixture();
  const { events, result } = one('pin_to_top', true);
  t.strictSame(result, {});
  t.strictSame(
    events.map(({ type, audience, data }) => ({ type, audience, data })),
    [
      {
        type: 'subscription',
        audience: { to: 'users', users: [ann.user_id] },
        data: { op: 'update', stream_id, property: 'pin_to_top', value: true },
      },
    ],
  );
  t.equal(sub().pin_to_top, true);
});

// [c:muting-two-events]
void t.test('muting gives two events in order, by either name', async (t) => {
  const { stream_id, one, sub } = fixture();
  const told = (value: boolean) => [
    { op: 'update', stream_id, property: 'in_home_view', value: !value },
    { op: 'update', stream_id, property: 'is_muted', value },
  ];
  t.strictSame(
    one('is_muted', true).events.map(({ data }) => data),
    told(true),
  );
  t.ok(sub().is_muted);
  t.strictSame(
    one('in_home_view', true).events.map(({ data }) => data),
    told(false),
  );
  t.notOk(sub().is_muted);
});

// [c:subscription-colours]
void t.test('colours are stored in one form', async (t) => {
  const { stream_id, one, sub } = fixture();
  const { events } = one('color', '#F0A');
  t.strictSame(events[0]!.data, { op: 'update', stream_id, property: 'color', value: '#ff00aa' });
  t.equal(sub().color, '#ff00aa');
  for (const value of ['#F0AA', '#ggg', 'f0a', 'red', '']) {
    t.throws(() => one('color', value), { message: 'color is not a valid hex color code' }, value);
  }
  t.equal(sub().color, '#ff00aa');
});

void t.test('what is so already is no change', async (t) => {
  const { one } = fixture();
  one('color', '#ff00aa');
  for (const [property, value] of [
    ['color', '#F0A'],
    ['is_muted', false],
    ['in_home_view', true],
    ['pin_to_top', false],
  ] as const) {
    const { content } = one(property, value);
    t.strictSame([content.events, content.writes], [[], []], property);
  }
  t.equal(one('push_notifications', false).events.length, 1, 'null is not false');
});

// [c:subscription-notifications]
void t.test('every notification setting can be chosen', async (t) => {
  const { one, sub } = fixture();
  for (const property of [
    'desktop_notifications',
    'audible_notifications',
    'push_notifications',
    'email_notifications',
    'wildcard_mentions_notify',
  ] as const) {
    for (const value of [true, false]) {
      one(property, value);
      t.equal(sub()[property], value, `${property} ${value}`);
    }
    for (const value of [null, 'true', 1]) {
      t.throws(() => one(property, value), { message: `${property} is not a boolean` });
    }
    t.equal(sub()[property], false, 'what is no boolean changes nothing');
  }
});

// [c:subscription-refusals]
void t.test('faults are told in the words of the contract', async (t) => {
  const { test, stream_id, one } = fixture();
  const refuses = (property: string, value: unknown, message: string, id = stream_id) =>
    t.throws(() => one(property, value, id), { message, code: 'BAD_REQUEST', status: 400 });
  const hidden = test.channel({ invite_only: true }).stream_id;
  const open = test.channel().stream_id;
  refuses('size', true, 'Unknown subscription property: size');
  refuses('toString', true, 'Unknown subscription property: toString');
  refuses('is_muted', true, 'Invalid channel ID', 999);
  refuses('is_muted', true, 'Invalid channel ID', hidden);
  refuses('is_muted', true, `Not subscribed to channel id ${open}`, open);
  refuses('is_muted', '#abc', 'is_muted is not a boolean');
  refuses('color', true, 'color is not a string');
  refuses('color', 'red', 'color is not a valid hex color code');
});

void t.test('a former subscription cannot be changed', async (t) => {
  const { test, ann, other, one } = fixture();
  test.subscribe(ann, other, { active: false, spans: [[1, 2]] });
  const message = `Not subscribed to channel id ${other.stream_id}`;
  t.throws(() => one('pin_to_top', true, other.stream_id), { message });
});

// [c:subscriptions-all-or-none]
void t.test('several changes happen all or not at all', async (t) => {
  const { test, ann, stream_id, other, many, sub } = fixture();
  const good = { stream_id, property: 'pin_to_top', value: true };
  const bad = { stream_id: other.stream_id, property: 'color', value: 'red' };
  t.throws(() => many([good, bad]), { message: 'color is not a valid hex color code' });
  t.equal(sub().pin_to_top, false);
  const muted = { stream_id: other.stream_id, property: 'is_muted', value: true };
  t.strictSame(
    many([good, muted]).events.map(({ data }) => data.property),
    ['pin_to_top', 'in_home_view', 'is_muted'],
  );
  t.ok(test.org.subscriptions.of(ann.user_id, other.stream_id)!.is_muted);
});

void t.test('guests change their own subscriptions like everybody', async (t) => {
  const { test, channel } = fixture();
  const guest = test.user({ role: ROLE.guest });
  const handlers = subscriptionPropertyHandlers();
  const params = { stream_id: channel.stream_id, property: 'pin_to_top', value: true };
  const change = () => call(test, handlers, 'update-subscription-property', guest, params);
  t.throws(change, { message: 'Invalid channel ID' });
  test.subscribe(guest, channel);
  t.equal(change().events.length, 1);
});
