import type { Shape, Shapes } from '../shapes.js';
import { messageFlagsShape } from './message-flags.js';
import { messageShape } from './message.js';
import { presenceShape } from './presence.js';
import { realmUserShape } from './realm-user.js';
import { streamShape } from './stream.js';
import { subscriptionShape } from './subscription.js';
import { typingShape } from './typing.js';

/** The event types that do not look the same to everybody (events.md section 5). */
export const SHAPES: Shapes = new Map<string, Shape>([
  ['message', messageShape],
  ['update_message_flags', messageFlagsShape],
  ['presence', presenceShape],
  ['realm_user', realmUserShape],
  ['stream', streamShape],
  ['subscription', subscriptionShape],
  ['typing', typingShape],
]);
