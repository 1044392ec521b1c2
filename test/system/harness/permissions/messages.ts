import type { ApiClient } from '../client.js';
import {
  ACCOUNTS,
  ADMINISTRATORS,
  administratorsElse,
  ANYONE,
  except,
  refused,
  type Matrix,
} from './roles.js';

/** 2096: nothing is delivered while the test runs. */
const LATER = 4_000_000_000;

/**
 * Queues, messages and what is sent later (endpoints-queues.md#event-queues and endpoints-messages.md#messages;
 * specification-endpoints.md#create-scheduled-message, specification-endpoints.md#get-events,
 * specification-endpoints.md#delete-topic, specification-endpoints.md#get-message-history,
 * specification-endpoints.md#edit-typing).
 */
export const MESSAGES: Matrix = {
  'get-events': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => {
        const { queue_id } = await caller.register({ event_types: ['realm'] });
        return { queue_id, last_event_id: -1, dont_block: true };
      },
    },
  ],
  'acknowledge-events': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => {
        const { queue_id, last_event_id } = await caller.register({ event_types: ['realm'] });
        return { queue_id, last_event_id };
      },
    },
  ],
  'delete-queue': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => {
        const { queue_id } = await caller.register({ event_types: ['realm'] });
        return { queue_id };
      },
    },
  ],
  'fetch-api-key': [
    {
      who: ANYONE,
      given: () => ({
        username: 'new-member@example.org',
        password: 'willow-anchor-new-member-47',
      }),
    },
  ],
  'fetch-api-key-by-token': [
    {
      who: ANYONE,
      given: () => ({ token: 'none' }),
      meets: refused('JWT authentication is not enabled for this organization'),
    },
  ],

  'send-message': [
    {
      who: ACCOUNTS,
      of: 'a channel',
      given: ({ general }) => ({ type: 'channel', to: general, topic: 'matrix', content: 'hello' }),
    },
    {
      who: ACCOUNTS,
      of: 'a person',
      given: ({ owner }) => ({ type: 'direct', to: [owner.userId], content: 'hello' }),
    },
  ],
  'update-message': [
    {
      who: ACCOUNTS,
      of: 'the content of an own message',
      given: async (world, caller) => ({
        message_id: await world.message(caller),
        content: 'edited',
      }),
    },
    {
      // `can_move_messages_between_topics_group` is everyone by default.
      who: ACCOUNTS,
      of: "the topic of somebody else's message",
      given: async (world) => ({
        message_id: await world.message(world.administrator),
        topic: world.name(),
      }),
    },
    {
      // `can_move_messages_between_channels_group` is members by default.
      who: except(ACCOUNTS, { guest: refused("You don't have permission to move this message") }),
      of: 'the channel of a message',
      given: async (world, caller) => ({
        message_id: await world.message(caller),
        stream_id: world.annex,
      }),
    },
  ],
  'delete-message': [
    {
      // `can_delete_own_message_group` is everyone by default.
      who: ACCOUNTS,
      of: 'an own message',
      given: async (world, caller) => ({ message_id: await world.message(caller) }),
    },
    {
      // `can_delete_any_message_group` is administrators by default.
      who: administratorsElse(refused("You don't have permission to delete this message")),
      of: "somebody else's message",
      given: async (world) => ({ message_id: await world.message(world.webhook) }),
    },
  ],
  'delete-topic': [
    {
      who: ADMINISTRATORS,
      given: async (world) => {
        const topic_name = world.name();
        await world.message(world.owner, topic_name);
        return { stream_id: world.general, topic_name };
      },
    },
  ],
  'set-typing-status-for-message-edit': [
    {
      who: ACCOUNTS,
      given: async (world, caller) => ({ message_id: await world.message(caller), op: 'start' }),
    },
  ],
  'report-message': [
    {
      // The organization has no channel for reports.
      who: ACCOUNTS,
      given: async (world) => ({
        message_id: await world.message(world.owner),
        report_type: 'spam',
      }),
      meets: refused('Moderation request channel must be specified to enable message reporting.'),
    },
  ],
  'mark-topic-as-read': [
    {
      who: ACCOUNTS,
      given: async (world) => {
        await world.message(world.owner);
        return { stream_id: world.general, topic_name: 'matrix' };
      },
    },
  ],
  'remove-reaction': [
    {
      who: ACCOUNTS,
      given: async (world, caller) => {
        const message_id = await world.message(world.owner);
        const emoji_name = 'octopus';
        await caller.ok('POST', `/messages/${message_id}/reactions`, { emoji_name });
        return { message_id, emoji_name };
      },
    },
  ],
  'add-submessage': [
    {
      who: ACCOUNTS,
      given: async (world) => ({
        message_id: await world.poll(),
        msg_type: 'widget',
        content: '{"type":"vote","key":"canned,0","vote":1}',
      }),
    },
    {
      who: ACCOUNTS,
      of: 'the question of their own poll',
      given: async (world, caller) => ({
        message_id: await world.poll(caller),
        msg_type: 'widget',
        content: '{"type":"question","question":"Dinner?"}',
      }),
    },
  ],
  'set-typing-status': [
    {
      who: ACCOUNTS,
      of: 'a person',
      given: ({ owner }) => ({ op: 'start', to: [owner.userId] }),
    },
    {
      who: ACCOUNTS,
      of: 'a channel',
      given: ({ general }) => ({
        op: 'start',
        type: 'channel',
        stream_id: general,
        topic: 'matrix',
      }),
    },
  ],

  'update-scheduled-message': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => ({
        scheduled_message_id: await schedule(caller),
        content: 'else',
      }),
    },
  ],
  'delete-scheduled-message': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => ({ scheduled_message_id: await schedule(caller) }),
    },
  ],
  'delete-reminder': [
    {
      who: ACCOUNTS,
      given: async (world, caller) => {
        const message_id = await world.message(world.owner);
        const { reminder_id } = await caller.ok('POST', '/reminders', {
          message_id,
          scheduled_delivery_timestamp: LATER,
        });
        return { reminder_id };
      },
    },
  ],
};

function scheduled(userId: number) {
  return { type: 'direct', to: [userId], content: 'later', scheduled_delivery_timestamp: LATER };
}

async function schedule(caller: ApiClient): Promise<number> {
  const made = await caller.ok('POST', '/scheduled_messages', scheduled(caller.userId));
  return Number(made.scheduled_message_id);
}
