import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { ChannelDocument } from '../../../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../../../schemas/users/user-document.js';
import { ApiError } from '../../../../../src/errors/index.js';
import { changeFlags } from '../../../../../src/organization/messages/change-flags.js';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { compileNarrow } from '../../../../../src/organization/messages/reading/narrow.js';
import { removeMessages } from '../../../../../src/organization/messages/deletion/remove-messages.js';
import {
  maxMessageId,
  starredMessages,
  unreadMessages,
} from '../../../../../src/organization/messages/reading/unread.js';
import type { Organization } from '../../../../../src/organization/state/organization.js';
import { canReadChannel } from '../../../../../src/organization/access/permissions.js';
import { subscribeUsers } from '../../../../../src/organization/channels/subscribing.js';
import { unsubscribeUsers } from '../../../../../src/organization/channels/unsubscribing.js';
import { messageEditingHandler } from '../../../../../src/resources/messages/message-editing.js';
import { messageHandlers } from '../../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../../src/services/markdown/markdown.js';
import { handlerOf } from '../../../../fixtures/handler-of.js';
import { LivingOrganization, type Body } from '../../../../fixtures/living-organization.js';

const markdown = createMarkdown();
const editing = messageEditingHandler({ markdown });
const sending = handlerOf(messageHandlers(markdown), 'send-message');

const TOPICS = ['a', 'A', 'b', ''];
const TEXTS = ['plain', '@**hamlet** look', '@**all** look', '@**topic** look'];
const MODES = ['change_one', 'change_later', 'change_all'];

/** One thing somebody does; numbers choose among what there is. */
interface Step {
  readonly kind:
    | 'send'
    | 'topic'
    | 'channel'
    | 'content'
    | 'join'
    | 'leave'
    | 'read'
    | 'catch-up'
    | 'star'
    | 'delete';
  readonly user: number;
  readonly channel: number;
  readonly message: number;
  readonly choice: number;
  readonly mode: number;
}

const step = fc.record({
  kind: fc.constantFrom(
    ...(['send', 'send', 'send', 'topic', 'channel', 'channel', 'channel', 'channel'] as const),
    ...([
      'content',
      'join',
      'leave',
      'read',
      'read',
      'catch-up',
      'catch-up',
      'star',
      'delete',
    ] as const),
  ),
  user: fc.nat(3),
  channel: fc.nat(3),
  message: fc.nat(40),
  choice: fc.nat(3),
  mode: fc.nat(2),
});

/**
 * The organization beside the plainest model there is of who received what: a row for each user and
 * message, as servers with a table of such rows have them.
 */
class World extends LivingOrganization {
  readonly users: UserDocument[];
  readonly channels: ChannelDocument[];
  /** User to message to whether they read it. */
  readonly rows = new Map<number, Map<number, boolean>>();
  /** Rows, as user and message, that there are because the user marked what they never received as unread. */
  private readonly recalled = new Set<string>();
  private readonly ids: number[] = [];

  constructor() {
    super();
    this.users = [
      this.owner,
      ...['hamlet', 'iago', 'zoe'].map((name) => this.addUser(`${name}@x.org`)),
    ];
    for (const { user_id } of this.users) this.rows.set(user_id, new Map());
    this.channels = [
      {},
      {},
      { invite_only: true, history_public_to_subscribers: false },
      { invite_only: true, history_public_to_subscribers: true },
    ].map((fields, i) => this.channel(`channel ${i}`, fields));
    for (const channel of this.channels) this.join(channel, [this.owner, this.users[1]!]);
  }

  get messages(): number[] {
    return this.ids.filter((id) => this.org.messages.has(id));
  }

  join(channel: ChannelDocument, users: readonly UserDocument[]): void {
    const userIds = users.map(({ user_id }) => user_id);
    this.transact((tx) => subscribeUsers(tx, { channels: [channel], userIds }));
  }

  channelOf(id: number): ChannelDocument {
    return this.org.channels.byRecipient(this.org.messages.peek(id)!.recipient_id)!;
  }

  private subscribes({ user_id }: UserDocument, { stream_id }: ChannelDocument): boolean {
    return this.org.subscriptions.isSubscribed(user_id, stream_id);
  }

  /** Does it in both; what is refused changes neither. */
  async take(one: Step): Promise<void> {
    const user = this.users[one.user]!;
    const channel = this.channels[one.channel]!;
    const { messages } = this;
    const id = messages[one.message % Math.max(messages.length, 1)];
    this.clock.advance(1000);
    switch (one.kind) {
      case 'send':
        return this.send(user, channel, one);
      case 'join':
        return this.join(channel, [user]);
      case 'leave':
        return this.leave(user, channel);
      default:
        if (id !== undefined) await this.act(one, user, channel, id);
    }
  }

  private async send(user: UserDocument, channel: ChannelDocument, one: Step): Promise<void> {
    const { id } = await this.call(
      sending,
      user,
      {
        type: 'channel',
        to: channel.stream_id,
        topic: TOPICS[one.choice]!,
        content: TEXTS[one.mode]!,
      },
      'ZulipFlutter',
    ).catch(refused);
    if (!id) return;
    this.ids.push(id as number);
    for (const other of this.users) {
      if (this.subscribes(other, channel)) this.row(other).set(id as number, other === user);
    }
  }

  private leave(user: UserDocument, channel: ChannelDocument): void {
    // The last one to leave a private channel archives it.
    if (user === this.owner) return;
    this.transact((tx) => unsubscribeUsers(tx, { channels: [channel], userIds: [user.user_id] }));
    for (const id of [...this.row(user).keys()]) {
      if (this.org.messages.has(id) && this.channelOf(id).stream_id === channel.stream_id) {
        this.setRead(user, id);
      }
    }
  }

  /** A row that a user recalled goes when it is read. */
  private setRead(user: UserDocument, id: number): void {
    if (this.recalled.delete(`${user.user_id}:${id}`)) this.row(user).delete(id);
    else this.row(user).set(id, true);
  }

  private row(user: UserDocument): Map<number, boolean> {
    return this.rows.get(user.user_id)!;
  }

  private async act(one: Step, user: UserDocument, channel: ChannelDocument, id: number) {
    switch (one.kind) {
      case 'topic':
        return this.edit(user, id, { topic: TOPICS[one.choice]! }, one);
      case 'channel':
        return this.edit(user, id, { stream_id: channel.stream_id }, one);
      case 'content': {
        const sender = this.org.users.get(this.org.messages.peek(id)!.sender_id)!;
        return this.edit(sender, id, { content: TEXTS[one.choice]! }, { ...one, mode: 0 });
      }
      case 'read':
        return this.read(user, [id], one.choice > 1);
      case 'catch-up':
        return this.read(user, this.messages, true);
      case 'star':
        if (new MessageAccess(this.org, user).canSee(id)) {
          this.transact((tx) => changeFlags(tx, user, [id], 'add', 'starred'));
        }
        return;
      case 'delete': {
        const { recipient_id: recipientId } = this.org.messages.peek(id)!;
        const topic = this.org.messages.index.topicNameOf(id)!;
        this.transact((tx) => removeMessages(tx, { recipientId, ids: [id], topic, actor: null }));
        for (const rows of this.rows.values()) rows.delete(id);
        return;
      }
      case 'send':
      case 'join':
      case 'leave':
        throw new Error(`${one.kind} is about no message`);
    }
  }

  private async edit(user: UserDocument, id: number, changes: Body, one: Step): Promise<void> {
    const before = new Map(this.messages.map((each) => [each, this.channelOf(each)]));
    await this.call(editing, user, {
      message_id: id,
      ...changes,
      propagate_mode: MODES[one.mode]!,
      send_notification_to_new_thread: false,
    }).catch(refused);
    for (const [each, former] of before) {
      const channel = this.channelOf(each);
      if (channel === former) continue;
      for (const other of this.users) {
        if (this.subscribes(other, channel)) continue;
        this.row(other).delete(each);
        this.recalled.delete(`${other.user_id}:${each}`);
      }
    }
  }

  private read(user: UserDocument, ids: readonly number[], add: boolean): void {
    const access = new MessageAccess(this.org, user);
    const seen = ids.filter((id) => access.canSee(id));
    this.transact((tx) => changeFlags(tx, user, seen, add ? 'add' : 'remove', 'read'));
    const row = this.row(user);
    for (const id of seen) {
      if (add) {
        if (row.has(id)) this.setRead(user, id);
      } else if (this.subscribes(user, this.channelOf(id))) {
        if (!row.has(id)) this.recalled.add(`${user.user_id}:${id}`);
        row.set(id, false);
      }
    }
  }

  /** What the rows say each user received and did not read, as far as they may read the channel. */
  modelled(user: UserDocument): { received: number[]; unread: number[] } {
    const rows = [...this.row(user)].filter(([id]) =>
      canReadChannel(this.org, user, this.channelOf(id)),
    );
    return {
      received: rows.map(([id]) => id).sort((a, b) => a - b),
      unread: rows.flatMap(([id, read]) => (read ? [] : [id])).sort((a, b) => a - b),
    };
  }

  /** The same from an organization. */
  actual(org: Organization, user: UserDocument): { received: number[]; unread: number[] } {
    const access = new MessageAccess(org, user);
    return {
      received: this.messages.filter((id) => access.hasReceived(id)),
      unread: this.messages.filter((id) => access.isUnread(id)),
    };
  }

  /** Everything that follows from stored documents, for one user. */
  picture(org: Organization, user: UserDocument): unknown {
    const access = new MessageAccess(org, user);
    const narrow = (terms: [string, string][]) => {
      try {
        const query = compileNarrow(access, terms);
        return this.messages.filter((id) => query.matches(id));
      } catch (error) {
        return refused(error);
      }
    };
    const { index } = org.messages;
    return {
      unread: unreadMessages(org, user),
      starred: starredMessages(org, user),
      newest: maxMessageId(org, user),
      visible: this.messages.filter((id) => access.canSee(id)),
      narrows: [
        narrow([]),
        narrow([['topic', 'a']]),
        narrow([['is', 'mentioned']]),
        narrow([['is', 'unread']]),
        narrow([['channel', 'channel 1']]),
        narrow([
          ['channel', 'channel 2'],
          ['topic', 'b'],
        ]),
      ],
      topics: this.channels.map(({ recipient_id }) =>
        index
          .topics(recipient_id)
          .map(({ key, name, list }) => [key, name, list.toArray()])
          .sort(([a], [b]) => (a! < b! ? -1 : 1)),
      ),
      conversations: this.channels.map(({ recipient_id }) =>
        index.conversation(recipient_id).toArray(),
      ),
      mentions: index.notified.mentionsOf(user.user_id).toArray(),
    };
  }
}

/** Refusals are part of the game; faults are not. */
function refused(error: unknown): Body {
  if (error instanceof ApiError && error.status === 400) return {};
  throw error;
}

const runs = Number(process.env.PARLEY_TEST_RUNS ?? 60);

void t.test('whatever is sent, moved, read and left: rows of a table would say the same', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 40, maxLength: 150, size: 'max' }),
      async (steps) => {
        const world = new World();
        for (const one of steps) await world.take(one);
        const reloaded = world.reloaded();
        for (const user of world.users) {
          const modelled = world.modelled(user);
          assert.deepStrictEqual(world.actual(world.org, user), modelled);
          assert.deepStrictEqual(world.actual(reloaded, user), modelled);
          assert.deepStrictEqual(world.picture(reloaded, user), world.picture(world.org, user));
        }
      },
    ),
    { numRuns: runs },
  ),
);
