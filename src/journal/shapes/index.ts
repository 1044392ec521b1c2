import type { Shape, Shapes } from '../shapes.js';
import { deleteMessageShape } from './delete-message.js';
import { messageFlagsShape } from './message-flags.js';
import { messageShape } from './message.js';
import { presenceShape } from './presence.js';
import { realmEmojiShape } from './realm-emoji.js';
import { realmLinkifiersShape } from './realm-linkifiers.js';
import { realmUserShape } from './realm-user.js';
import { streamShape } from './stream.js';
import { subscriptionShape } from './subscription.js';
import { typingEditMessageShape } from './typing-edit-message.js';
import { typingShape } from './typing.js';
import { updateMessageShape } from './update-message.js';
import { userGroupShape } from './user-group.js';
import { mutedTopicsShape, userTopicShape } from './user-topic.js';

/** The event types that do not look the same to everybody (events.md section 5). */
export const SHAPES: Shapes = new Map<string, Shape>([
  ['message', messageShape],
  ['update_message', updateMessageShape],
  ['delete_message', deleteMessageShape],
  ['update_message_flags', messageFlagsShape],
  ['presence', presenceShape],
  ['realm_emoji', realmEmojiShape],
  ['realm_linkifiers', realmLinkifiersShape],
  ['realm_user', realmUserShape],
  ['stream', streamShape],
  ['subscription', subscriptionShape],
  ['typing', typingShape],
  ['typing_edit_message', typingEditMessageShape],
  ['user_group', userGroupShape],
  ['user_topic', userTopicShape],
  ['muted_topics', mutedTopicsShape],
]);
