import * as channels from '../../../schemas/channels.js';
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import * as eventsPoll from '../../../schemas/events-poll.js';
import * as messages from '../../../schemas/messages.js';
import * as presence from '../../../schemas/presence.js';
import * as register from '../../../schemas/register.js';
import * as serverSettings from '../../../schemas/server-settings.js';
import * as settings from '../../../schemas/settings.js';
import * as socket from '../../../schemas/socket.js';
import * as subscriptionProperties from '../../../schemas/subscription-properties.js';
import * as typing from '../../../schemas/typing.js';
import * as users from '../../../schemas/users.js';
import type { Body } from './client.js';

const MODULES: readonly object[] = [
  channels,
  eventsPoll,
  messages,
  presence,
  register,
  serverSettings,
  settings,
  socket,
  subscriptionProperties,
  typing,
  users,
];

function isEndpoint(value: unknown): value is EndpointDescriptor {
  return typeof value === 'object' && value !== null && 'operation' in value && 'params' in value;
}

/** Every endpoint served over plain HTTP, in a fixed order. */
export const ENDPOINTS: readonly EndpointDescriptor[] = MODULES.flatMap((module) =>
  Object.values(module).filter(isEndpoint),
)
  .filter((endpoint) => endpoint.operation !== 'open-event-socket')
  .sort((a, b) => (a.operation < b.operation ? -1 : 1));

/** Parameters with which each endpoint succeeds, at least once; absent means none are needed. */
export function validParameters(ids: {
  readonly userId: number;
  readonly streamId: number;
  readonly messageId: number;
  readonly queueId: string;
}): Readonly<Record<string, Body>> {
  const { userId, streamId, messageId, queueId } = ids;
  return {
    'create-user': { email: 'new@example.org', full_name: 'New', password: 'cedar-window-31-map' },
    'delete-queue': { queue_id: queueId },
    'fetch-api-key': { username: 'owner@example.org', password: 'iris-lamp-harbor-92' },
    'get-events': { queue_id: queueId, dont_block: true },
    'get-message': { message_id: messageId },
    'get-messages': { anchor: 'newest', num_before: 5, num_after: 5 },
    'get-user': { user_id: userId },
    'get-user-by-email': { email: 'owner@example.org' },
    'get-user-presence': { user_id_or_email: userId },
    'register-queue': { fetch_event_types: [], event_types: [] },
    'send-message': { type: 'channel', to: 'general', topic: 'fuzz', content: 'hello' },
    'set-typing-status': { op: 'start', to: [userId] },
    subscribe: { subscriptions: [{ name: 'general' }] },
    unsubscribe: { subscriptions: ['absent'] },
    'update-message-flags': { messages: [messageId], op: 'add', flag: 'starred' },
    'update-presence': { status: 'active' },
    'update-subscription-properties': {
      subscription_data: [{ stream_id: streamId, property: 'pin_to_top', value: false }],
    },
    'update-subscription-property': { stream_id: streamId, property: 'pin_to_top', value: false },
  };
}
