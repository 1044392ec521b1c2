import type { EventFields, EventType } from '../../../schemas/events.js';
import type { EventRenderer, EventRenderers, RendererOf } from './event-renderer.js';
import { deleteMessageRenderer } from './delete-message.js';
import { messageFlagsRenderer } from './message-flags.js';
import { messageRenderer } from './message.js';
import { presenceRenderer } from './presence.js';
import { realmLinkifiersRenderer, realmEmojiRenderer } from './realm.js';
import { realmUserRenderer } from './realm-user.js';
import { streamRenderer } from './stream.js';
import { subscriptionRenderer } from './subscription.js';
import { typingEditMessageRenderer, typingRenderer } from './typing.js';
import { updateMessageRenderer } from './update-message.js';
import { userGroupRenderer } from './user-group.js';
import { settingsDefaultsRenderer, userSettingsRenderer } from './user-settings.js';
import { mutedTopicsRenderer, userTopicRenderer } from './user-topic.js';

/** The renderers of the event types that differ between receivers (events.md#variants). */
const RENDERERS = {
  message: messageRenderer,
  update_message: updateMessageRenderer,
  delete_message: deleteMessageRenderer,
  update_message_flags: messageFlagsRenderer,
  presence: presenceRenderer,
  realm_emoji: realmEmojiRenderer,
  realm_linkifiers: realmLinkifiersRenderer,
  realm_user: realmUserRenderer,
  stream: streamRenderer,
  subscription: subscriptionRenderer,
  typing: typingRenderer,
  typing_edit_message: typingEditMessageRenderer,
  user_group: userGroupRenderer,
  user_settings: userSettingsRenderer,
  realm_user_settings_defaults: settingsDefaultsRenderer,
  user_topic: userTopicRenderer,
  muted_topics: mutedTopicsRenderer,
};

/** The renderers by event type; the journal gives each the data that transactions emitted for it. */
export const EVENT_RENDERERS: EventRenderers = new Map<string, EventRenderer>(
  Object.entries<EventRenderer>(RENDERERS),
);

type StoredForm<R> = R extends RendererOf<infer _T, infer D, infer _B> ? D : never;

/** What the journal keeps of an event: its renderer's stored form, or the fields of its body. */
export type StoredEventData<T extends EventType> = T extends keyof typeof RENDERERS
  ? StoredForm<(typeof RENDERERS)[T]>
  : EventFields<T>;
