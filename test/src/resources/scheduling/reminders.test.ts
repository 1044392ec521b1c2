import t from 'tap';
import { Value } from 'typebox/value';
import {
  createReminder,
  getReminders,
  reminderEvents,
} from '../../../../schemas/scheduling/reminders.js';
import { sendMessage } from '../../../../src/organization/messages/sending/send-message.js';
import {
  participants,
  renderFor,
} from '../../../../src/organization/messages/sending/outgoing-message.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import { deliverReminder } from '../../../../src/organization/scheduling/reminders.js';
import { DELIVERY_INDEX } from '../../../../src/organization/state/scheduled/scheduled-collection.js';
import { remindersSection } from '../../../../src/resources/queues/register/scheduled-sections.js';
import { reminderHandlers } from '../../../../src/resources/scheduling/reminders.js';
import {
  LivingOrganization,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';
import { LATER, markdown, refused } from './fixtures/scheduling-world.js';

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly ophelia = this.addUser('ophelia@example.com');
  override readonly handlers = reminderHandlers(markdown);

  /** Ophelia writes to the channel, or to the people named. */
  say(content: string, to: readonly (typeof this.hamlet)[] | null = null): number {
    const { org, ophelia: sender } = this;
    const recipient = to
      ? ({ kind: 'direct', users: participants(sender, to) } as const)
      : ({ kind: 'channel', channel: this.general, topic: 'plot twist' } as const);
    return this.transact(
      (tx) =>
        sendMessage(tx, {
          sender,
          recipient,
          content,
          rendered: renderFor(org, markdown, sender, content),
          clientName: 'test',
          readBySender: true,
        }).id,
    );
  }

  remind(message_id: number, more: Body = {}, caller = this.hamlet): Promise<Body> {
    const basics = { message_id, scheduled_delivery_timestamp: LATER };
    return this.do('create-reminder', { ...basics, ...more }, caller);
  }

  /** What the newest entry that scheduled anything did. */
  get lastDue(): readonly object[] {
    return this.entries.findLast(({ content }) => content.due.length > 0)!.content.due;
  }

  seen(user = this.hamlet): Body[] {
    return this.received(user, this.mark).filter(({ type }) => type === 'reminders');
  }

  /** Delivers a reminder, and returns what was sent. */
  deliver(id: number) {
    const { reminders } = this.org;
    const waiting = reminders.resident(id)!;
    const document = this.transact((tx) => reminders.actors.wake(tx, waiting));
    const message = this.org.messages.resident(document.context.message_id);
    const before = this.org.counters.last('message');
    this.transact((tx) => deliverReminder(tx, markdown, document, message));
    const last = this.org.counters.last('message');
    return last === before ? undefined : this.org.messages.resident(last)!;
  }
}

void t.test('a reminder of a channel message', async (t) => {
  const world = new World();
  const { hamlet, ophelia, general } = world;
  const messageId = world.say('a *rose*');
  world.mark = world.position;
  const reply = await world.remind(messageId, { note: 'first\nsecond' });
  t.strictSame(reply, { reminder_id: 1 });
  t.ok(Value.Check(createReminder.response, reply));
  const url =
    `https://chat.example.com/#narrow/channel/${general.stream_id}-general` +
    `/topic/plot.20twist/near/${messageId}`;
  const content = [
    `You requested a reminder for #**general>plot twist@${messageId}**. Note:`,
    ' > first',
    ' > second',
    '',
    `@_**ophelia|${ophelia.user_id}** [said](${url}):`,
    '```quote',
    'a *rose*',
    '```',
  ].join('\n');
  const place = `/#narrow/channel/${general.stream_id}-general/topic/plot.20twist/near/${messageId}`;
  const rendered_content = [
    `<p>You requested a reminder for <a class="message-link" href="${place}">#general &gt; plot twist @ 💬</a>. Note:</p>`,
    '<blockquote>',
    '<p>first<br>',
    'second</p>',
    '</blockquote>',
    `<p><span class="user-mention silent" data-user-id="${ophelia.user_id}">ophelia</span> <a href="${url}">said</a>:</p>`,
    '<blockquote>',
    '<p>a <em>rose</em></p>',
    '</blockquote>',
  ].join('\n');
  const [record] = (await world.do('get-reminders', {})).reminders as Body[];
  t.strictSame(record, {
    reminder_id: 1,
    type: 'private',
    to: [hamlet.user_id],
    content,
    rendered_content,
    scheduled_delivery_timestamp: LATER,
    failed: false,
    reminder_target_message_id: messageId,
  });
  t.strictSame(world.seen(), [{ type: 'reminders', op: 'add', reminders: [record] }]);
  t.strictSame(world.seen(ophelia), []);
  t.same(world.lastDue, [{ index: DELIVERY_INDEX, id: 'reminder:1', at: LATER * 1000 }]);
});

void t.test(
  'on time: a direct message of the notification bot, and the end in the same entry',
  async (t) => {
    const world = new World();
    const { hamlet, ophelia } = world;
    const messageId = world.say('psst', [hamlet]);
    await world.remind(messageId);
    world.mark = world.position;
    const sent = world.deliver(1)!;
    const url = `https://chat.example.com/#narrow/dm/${hamlet.user_id},${ophelia.user_id}-dm/near/${messageId}`;
    t.equal(
      sent.content,
      'You requested a reminder for the following direct message.\n\n' +
        `@_**ophelia|${ophelia.user_id}** [said](${url}):\n\`\`\`quote\npsst\n\`\`\``,
    );
    const bot = world.org.users.get(sent.sender_id)!;
    t.match(bot.email, /^notification-bot@/);
    t.same(sent.mentioned, [], 'nobody is mentioned');
    t.equal(world.position, world.mark + 2, 'its beginning, and its end');
    t.same(
      world.entries.at(-1)!.content.events.map(({ type, data }) => [type, data.op]),
      [
        ['message', undefined],
        ['reminders', 'remove'],
      ],
    );
    t.strictSame(world.seen(), [{ type: 'reminders', op: 'remove', reminder_id: 1 }]);
    t.match(world.lastDue, [{ id: 'reminder:1', at: null }]);
    t.strictSame(await world.do('get-reminders', {}), { reminders: [] });
  },
);

void t.test('the message is shown as it is when the time comes', async (t) => {
  const world = new World();
  const edited = world.say('before');
  await world.remind(edited);
  const [told] = world.seen();
  const gone = world.say('secret');
  await world.remind(gone, { note: 'mind' });
  world.transact((tx) => {
    const { messages } = tx.org;
    messages.update(messages.resident(edited)!, { content: 'after' }, tx.seq);
    messages.delete(messages.resident(gone)!);
  });
  const [listed] = (await world.do('get-reminders', {})).reminders as Body[];
  t.strictSame([listed], told!.reminders, 'until then as its event told it');
  t.match(world.deliver(1)!.content, '```quote\nafter\n```');
  t.equal(
    world.deliver(2)!.content,
    'You requested a reminder for a message that is no longer available. Note:\n > mind',
    'what was deleted does not come back',
  );
});

// [c:reminder-without-text]
void t.test('the text of a message that is gone is shown no more', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const place = world.channel('place', { invite_only: true }, [world.ophelia, hamlet]);
  const stays = world.say('stays');
  const gone = world.say('secret words');
  const left = world.transact((tx) => {
    const recipient = { kind: 'channel', channel: place, topic: 'x' } as const;
    const rendered = renderFor(tx.org, markdown, world.ophelia, 'other words');
    const parts = { sender: world.ophelia, recipient, content: 'other words', rendered };
    return sendMessage(tx, { ...parts, clientName: 'test', readBySender: true }).id;
  });
  await world.remind(stays);
  await world.remind(gone, { note: 'mind **<b>**\nthis' });
  await world.remind(left);
  const shown = async () => (await world.do('get-reminders', {})).reminders as Body[];
  t.match((await shown())[1]!.content, /secret words/);
  world.transact((tx) => tx.org.messages.delete(tx.org.messages.resident(gone)!));
  world.transact((tx) => unsubscribeUsers(tx, { channels: [place], userIds: [hamlet.user_id] }));
  const snapshot = remindersSection(world.org, world.user(hamlet.user_id), {
    scheduledMessages: new Map(),
    reminders: new Map(),
  }).reminders as Body[];
  for (const list of [await shown(), snapshot]) {
    t.ok(Value.Check(getReminders.response, { reminders: list }));
    t.match(list[0]!.content, /stays/, 'others do');
    t.strictSame(
      [list[1]!.content, list[1]!.rendered_content],
      [
        'You requested a reminder for a message that is no longer available. Note:\n > mind **<b>**\n > this',
        '<p>You requested a reminder for a message that is no longer available.</p>\n<blockquote><p>mind **&lt;b&gt;**\nthis</p></blockquote>',
      ],
    );
    t.equal(
      list[2]!.content,
      'You requested a reminder for a message that is no longer available.',
      'of a channel that one left',
    );
    t.notMatch(JSON.stringify(list), /secret|other words/);
  }
});

void t.test('a quoted fence does not end the quotation, and long texts are cut', async (t) => {
  const world = new World();
  await world.remind(world.say('````\ncode\n````'));
  t.match(world.deliver(1)!.content, '`````quote\n````\ncode\n````\n`````');
  await world.remind(world.say('x'.repeat(10_000)), { note: 'n'.repeat(1000) });
  const { content } = world.deliver(2)!;
  t.equal(content.length, 10_000);
  t.ok(content.endsWith('[message truncated]\n```'));
});

void t.test('nobody is reminded in a deactivated account', async (t) => {
  const world = new World();
  await world.remind(world.say('x'));
  world.alter(world.hamlet.user_id, { is_active: false });
  t.equal(world.deliver(1), undefined);
  t.equal(world.org.reminders.size, 0);
});

void t.test(
  'a reminder in the past, of a message that is not visible, or of somebody else is refused',
  async (t) => {
    const world = new World();
    const { hamlet } = world;
    const messageId = world.say('x');
    const foreign = world.say('to another', [world.owner]);
    await refused(
      t,
      world,
      () => world.remind(messageId, { scheduled_delivery_timestamp: START_SECONDS }),
      {
        message: 'Scheduled delivery time must be in the future.',
      },
    );
    for (const id of [foreign, 999]) {
      await refused(t, world, () => world.remind(id), { message: 'Invalid message(s)' });
    }
    const remove = (id: number, caller = hamlet) =>
      world.do('delete-reminder', { reminder_id: id }, caller);
    await refused(t, world, () => remove(1), { status: 404, message: 'Reminder does not exist' });
    await world.remind(messageId);
    await refused(t, world, () => remove(1, world.ophelia), {
      status: 404,
      message: 'Reminder does not exist',
    });
    t.match(createReminder.params.note.schema, { maxLength: 1000 }, 'max_reminder_note_length');
  },
);

// [c:reminders]
void t.test('listed by time, and deleted', async (t) => {
  const world = new World();
  const messageId = world.say('x');
  for (const at of [30, 10, 20]) {
    await world.remind(messageId, { scheduled_delivery_timestamp: START_SECONDS + at });
  }
  world.mark = world.position;
  t.strictSame(await world.do('delete-reminder', { reminder_id: 3 }), {});
  t.strictSame(world.seen(), [{ type: 'reminders', op: 'remove', reminder_id: 3 }]);
  const reply = await world.do('get-reminders', {});
  t.ok(Value.Check(getReminders.response, reply));
  t.same(
    (reply.reminders as Body[]).map(({ reminder_id }) => reminder_id),
    [2, 1],
  );
  t.same((await world.do('get-reminders', {}, world.ophelia)).reminders, []);
  for (const event of world.received(world.hamlet, 0).filter(({ type }) => type === 'reminders')) {
    t.ok(reminderEvents.some((schema) => Value.Check(schema, event)));
  }
});
