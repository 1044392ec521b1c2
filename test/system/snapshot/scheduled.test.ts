import t from 'tap';
import { Value } from 'typebox/value';
import { reminderEvents } from '../../../schemas/scheduling/reminders.js';
import { scheduledMessageEvents } from '../../../schemas/scheduling/scheduled-messages.js';
import type { Body, WireEvent } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';
import { underLoad } from '../../fixtures/machine-load.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

const HOUR = 3600;
const inSeconds = (seconds: number): number => Math.ceil(Date.now() / 1000) + seconds;
/** Time enough for what is to be done before, on a busy machine, too. */
const soon = (seconds: number): number => Math.ceil(underLoad(seconds * 1000) / 1000);

/** Ids of what the operations before made, by name. */
const ids: Record<string, number> = {};

function schedule(name: string, seconds: number, more: Body = {}): Operation {
  return async ({ hamlet, iago }) => {
    const reply = await hamlet.ok('POST', '/scheduled_messages', {
      type: 'direct',
      to: [iago.userId],
      content: `*${name}*`,
      scheduled_delivery_timestamp: inSeconds(seconds),
      ...more,
    });
    ids[name] = Number(reply.scheduled_message_id);
  };
}

const edit =
  (name: string, changes: Body): Operation =>
  ({ hamlet }) =>
    hamlet.ok('PATCH', `/scheduled_messages/${ids[name]}`, changes);

const remind =
  (name: string, seconds: number, more: Body = {}): Operation =>
  async ({ hamlet }) => {
    const reply = await hamlet.ok('POST', '/reminders', {
      message_id: ids.message!,
      scheduled_delivery_timestamp: inSeconds(seconds),
      ...more,
    });
    ids[name] = Number(reply.reminder_id);
  };

/** Waits until the author has been told that something scheduled ended. */
async function untilEnded({ hamlet }: AskedOrganization, op: string, type: string): Promise<void> {
  const queue = await QueueReader.open(hamlet, { event_types: [type] });
  await queue.until((event) => event.op === op);
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'scheduling a direct message': schedule('direct', HOUR),
  'scheduling another before it': schedule('earlier', HOUR / 2),
  'a channel message': async (organization) => {
    const { streams } = await organization.hamlet.ok('GET', '/streams');
    ids.general = (streams as { stream_id: number }[])[0]!.stream_id;
    await schedule('channel', 2 * HOUR, { type: 'channel', to: ids.general, topic: 'plans' })(
      organization,
    );
  },
  'a note to self': (organization) =>
    schedule('self', 3 * HOUR, { to: [organization.hamlet.userId] })(organization),
  'new content': edit('direct', { content: 'else, **bold**' }),
  'a new time': edit('direct', { scheduled_delivery_timestamp: inSeconds(4 * HOUR) }),
  'a new topic': edit('channel', { topic: 'other plans' }),
  'a new recipient and type': (organization) =>
    edit('channel', { type: 'private', to: [organization.owner.userId] })(organization),
  deleting: ({ hamlet }) => hamlet.ok('DELETE', `/scheduled_messages/${ids.self}`),
  'a delivery': async (organization) => {
    const ended = untilEnded(organization, 'remove', 'scheduled_messages');
    await schedule('now', soon(1))(organization);
    await ended;
  },
  'a delivery that fails': async (organization) => {
    const { owner } = organization;
    const { realm_user_groups } = await owner.register({
      fetch_event_types: ['realm_user_groups'],
    });
    const group = (name: string): number =>
      (realm_user_groups as { id: number; name: string }[]).find((one) => one.name === name)!.id;
    const permit = (name: string): Promise<Body> =>
      owner.ok('PATCH', '/realm', { direct_message_permission_group: { new: group(name) } });
    const ended = untilEnded(organization, 'update', 'scheduled_messages');
    await schedule('refused', soon(2))(organization);
    await permit('role:nobody');
    await ended;
    await permit('role:everyone');
  },
  'a new time for what failed': edit('refused', {
    scheduled_delivery_timestamp: inSeconds(5 * HOUR),
  }),
  'a message to remember': async ({ iago }) => (ids.message = await iago.say('to be or not')),
  'a reminder': remind('reminder', HOUR, { note: 'that is the question' }),
  'another reminder': remind('sooner', HOUR / 2),
  'a reminder that comes': async (organization) => {
    const ended = untilEnded(organization, 'remove', 'reminders');
    await remind('now', soon(1))(organization);
    await ended;
  },
  'deleting a reminder': ({ hamlet }) => hamlet.ok('DELETE', `/reminders/${ids.reminder}`),
};

void t.test('snapshot and events meet: scheduled messages and reminders', async (t) => {
  const organization = await askOrganization(t);
  const { hamlet, iago } = organization;
  const viewers = [
    await Viewer.open('the author, modern', hamlet, MODERN),
    await Viewer.open('the author, legacy', hamlet, LEGACY),
    await Viewer.open('somebody else', iago, MODERN),
  ];
  const types = { event_types: ['scheduled_messages', 'reminders'], fetch_event_types: [] };
  const author = await QueueReader.open(hamlet, types);
  const other = await QueueReader.open(iago, types);
  await check(t, organization, viewers, OPERATIONS);
  const events = await author.now();
  t.ok(events.length > 12);
  const schemas = [...scheduledMessageEvents, ...reminderEvents];
  const odd = events.filter(({ id: _id, ...body }: WireEvent) =>
    schemas.every((schema) => !Value.Check(schema, body)),
  );
  t.same(odd, [], 'every event is as published');
  const failed = events.filter(({ scheduled_message }) => (scheduled_message as Body)?.failed);
  t.equal(failed.length, 1, 'a failure was told');
  t.same(await other.now(), [], 'only the author is told');
});
