import t from 'tap';
import { ALL_EVENTS } from '../../../schemas/events.js';

/** The contract's list of event types. */
const TYPES = [
  'alert_words',
  'attachment',
  'channel_folder',
  'device',
  'drafts',
  'navigation_view',
  'reaction',
  'realm',
  'realm_bot',
  'realm_domains',
  'realm_emoji',
  'realm_user',
  'realm_user_settings_defaults',
  'reminders',
  'saved_snippets',
  'scheduled_messages',
  'stream',
  'subscription',
  'typing',
  'typing_edit_message',
  'update_message_flags',
  'user_group',
  'user_settings',
];

/** A form of an event, or several. */
interface Form {
  readonly anyOf?: readonly Form[];
  readonly properties?: { readonly type: { readonly const: string } };
}

function typesOf({ anyOf, properties }: Form): string[] {
  return anyOf ? anyOf.flatMap(typesOf) : [properties!.type.const];
}

const PUBLISHED = new Set(ALL_EVENTS.flatMap((schema) => typesOf(schema as unknown as Form)));

// [c:event-types-published]
void t.test('event types: every one of the list is published', (t) => {
  t.same(
    TYPES.filter((type) => !PUBLISHED.has(type)),
    [],
  );
  t.end();
});

// [c:event-types-removed]
void t.test('event types: the removed ones are not published', (t) => {
  for (const type of ['update_display_settings', 'update_global_notifications']) {
    t.notOk(PUBLISHED.has(type), type);
  }
  t.end();
});
