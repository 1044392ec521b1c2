import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { ApiClient, Body, WireEvent } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { fullScale } from '../harness/scale.js';
import { underLoad } from '../../fixtures/machine-load.js';

/** Time enough to do something before, on a busy machine, too. */
const inSeconds = (seconds: number): number =>
  Math.ceil((Date.now() + Math.min(underLoad(seconds * 1000), 8000)) / 1000);

async function schedule(client: ApiClient, content: string, at: number, more: Body = {}) {
  const reply = await client.ok('POST', '/scheduled_messages', {
    type: 'direct',
    to: [client.userId],
    content,
    scheduled_delivery_timestamp: at,
    ...more,
  });
  return Number(reply.scheduled_message_id);
}

function kinds(events: readonly WireEvent[]): string[] {
  return events
    .filter(({ type }) => type !== 'heartbeat')
    .map(({ type, op }) => (typeof op === 'string' ? `${type} ${op}` : type));
}

const isMessage = ({ type }: WireEvent): boolean => type === 'message';
const contentOf = (event: WireEvent): unknown => (event.message as Body).content;

// [c:scheduled-delivery]
void t.test('a scheduled message is delivered within a second of its time', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const types = { event_types: ['message', 'scheduled_messages', 'reminders'] };
  // The first event of its kind costs the test the time to prepare its check, and would count as lateness.
  const first = await QueueReader.open(hamlet, types);
  await owner.tell([hamlet.userId], 'before');
  await first.until(isMessage);
  const author = await QueueReader.open(owner, types);
  const reader = await QueueReader.open(hamlet, types);
  const at = inSeconds(2);
  const id = await schedule(owner, 'on *time*', at, { to: [hamlet.userId] });
  const { scheduled_messages } = await owner.register({
    fetch_event_types: ['scheduled_messages'],
  });
  t.match(scheduled_messages, [
    { scheduled_message_id: id, type: 'private', to: [hamlet.userId], failed: false },
  ]);
  const got = (await reader.until(isMessage)).find(isMessage)!;
  const late = Date.now() - at * 1000;
  // On a busy machine the test itself may be late in looking.
  t.ok(late >= 0 && late < (fullScale ? 1000 : underLoad(15_000)), `${late} ms late`);
  t.equal(contentOf(got), 'on *time*');
  const events = await author.until(({ op }) => op === 'remove');
  t.same(kinds(events), ['scheduled_messages add', 'message', 'scheduled_messages remove']);
  t.equal(events.at(-1)!.scheduled_message_id, id);
  const after = await owner.register({ fetch_event_types: ['scheduled_messages'] });
  t.same(after.scheduled_messages, []);
  const late2 = await owner.call('PATCH', `/scheduled_messages/${id}`, { content: 'too late' });
  t.match(late2, { status: 400, body: { msg: 'Scheduled message was already sent' } });
});

void t.test('a reminder quotes and links its message', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const messageId = await hamlet.say('the *play* is the thing');
  const reader = await QueueReader.open(owner, { event_types: ['message', 'reminders'] });
  await owner.ok('POST', '/reminders', {
    message_id: messageId,
    scheduled_delivery_timestamp: inSeconds(2),
    note: 'catch the conscience',
  });
  const events = await reader.until(({ op }) => op === 'remove');
  t.same(kinds(events), ['reminders add', 'message', 'reminders remove']);
  const text = String(contentOf(events.find(isMessage)!));
  t.match(text, `#**general>test@${messageId}**`);
  t.match(text, ' > catch the conscience');
  t.match(text, '```quote\nthe *play* is the thing\n```');
});

void t.test('what comes due while the server is away is delivered when it is back', async (t) => {
  const organization = await startOrganization(t);
  const { owner } = organization;
  const queue = await QueueReader.open(owner, { event_types: ['message'] });
  // Time enough to make them all before the first is due.
  const first = inSeconds(3);
  // Made in another order than they are due.
  for (const [content, delay] of [
    ['second', 1],
    ['third', 2],
    ['first', 0],
  ] as const) {
    await schedule(owner, content, first + delay);
  }
  const later = await schedule(owner, 'much later', first + 3600);
  t.equal((await organization.server.stop()).code, 0);
  await pause(first * 1000 + 2500 - Date.now());
  const server = await organization.server.restart(t);
  queue.move(owner.at(server.url));
  const seen: unknown[] = [];
  while (seen.length < 3) seen.push(...(await queue.next()).filter(isMessage).map(contentOf));
  t.same(seen, ['first', 'second', 'third'], 'in order of their times');
  const { scheduled_messages } = await owner.at(server.url).ok('GET', '/scheduled_messages');
  t.match(scheduled_messages, [{ scheduled_message_id: later, failed: false }]);
  t.equal((scheduled_messages as unknown[]).length, 1);
});
