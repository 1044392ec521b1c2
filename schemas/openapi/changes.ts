import { levelTexts } from './levels.js';

/** A change of the interface, and the feature level at which it took effect (specification.md#versioning). */
export interface ContractChange {
  /** As the table writes it; several where the change came in steps. */
  readonly levels: string;
  /** Operations it concerns; none where it concerns all, or an event type. */
  readonly operations: readonly string[];
  readonly text: string;
}

const change = (levels: string, operations: readonly string[], text: string): ContractChange => ({
  levels,
  operations,
  text,
});

const SETTINGS = ['update-settings', 'update-display-settings', 'update-notification-settings'];
const INVITES = ['send-invites', 'create-invite-link'];

/** The contract's table of versions (specification.md#versioning), in its order. */
export const CHANGES: readonly ContractChange[] = [
  change(
    '179 / 184',
    ['create-scheduled-message', 'update-scheduled-message'],
    'Creation of scheduled messages introduced; editing moved to a separate endpoint, and `scheduled_message_id` removed from creation.',
  ),
  change('248', ['create-scheduled-message'], '`channel` accepted as type.'),
  change('236', ['create-scheduled-message'], '`read_by_sender` added.'),
  change(
    '334 / 370',
    ['create-scheduled-message', 'send-message'],
    'The empty topic name is valid for channel messages; `(no topic)` is read as the empty text.',
  ),
  change(
    '80',
    SETTINGS,
    'The settings endpoints merged; display and notification endpoints became deprecated aliases.',
  ),
  change('364', SETTINGS, 'The setting `dense_mode` removed.'),
  change(
    '439',
    ['get-events', 'register-queue'],
    'The legacy events update_display_settings and update_global_notifications removed.',
  ),
  change('444', SETTINGS, '`target_users` added.'),
  change(
    '454',
    SETTINGS,
    'The home view of recent conversations is `recent` (was `recent_topics`).',
  ),
  change(
    '139',
    ['update-subscription-properties', 'update-subscription-property'],
    'Changes of `is_muted` and `in_home_view` emit two events.',
  ),
  change(
    '386',
    ['update-user-group'],
    'Groups are reactivated by `deactivated`; until 340 only the name of a deactivated group could change.',
  ),
  change(
    '303',
    ['get-is-user-group-member', 'get-user-groups'],
    'Deactivated users no longer count as members of groups.',
  ),
  change(
    '496',
    ['update-user-group', 'get-is-user-group-member'],
    'Bots may call it; 458: the membership of a bot can be asked for.',
  ),
  change(
    '263',
    ['update-presence'],
    '`last_update_id` and `presence_last_update_id` introduced; `slim_presence` deprecated.',
  ),
  change('288', ['update-presence'], '`history_limit_days` added.'),
  change('126', INVITES, '`invite_expires_in_days` replaced by `invite_expires_in_minutes`.'),
  change('117 / 96', INVITES, 'Null means no expiry; the expiry parameter first introduced.'),
  change(
    '322 / 261 / 267 / 416',
    INVITES,
    '`group_ids`, `include_realm_default_subscriptions`, `notify_referrer_on_join` and `welcome_message_custom_text` added.',
  ),
  change('342', INVITES, 'Default channels the caller cannot add subscribers to are not rejected.'),
  change('209', ['create-invite-link'], 'Others than administrators may create reusable links.'),
  change('160', ['fetch-api-key-by-token'], 'Introduced.'),
  change('171', ['fetch-api-key'], '`user_id` added to the reply.'),
  change(
    '211 / 154 / 147',
    ['delete-topic'],
    'Messages go in batches since 147; how a partial deletion is told evolved; `complete` since 211.',
  ),
  change('256', ['delete-topic', 'delete-message'], 'Events for a new `first_message_id`.'),
  change('223', ['add-apns-token'], '`appid` required; level 406: deprecated.'),
  change(
    '176',
    ['add-linkifier', 'update-linkifier'],
    '`url_template` replaced `url_format_string`.',
  ),
  change(
    '471',
    ['add-linkifier', 'update-linkifier'],
    '`example_input` and `reverse_template` added; `alternative_url_templates` came later.',
  ),
  change('57', ['update-linkifier'], 'Introduced.'),
  change(
    '351 / 361',
    ['set-typing-status-for-message-edit'],
    'Introduced; renamed from `/message_edit_typing` with `message_id` in the body.',
  ),
  change('390', ['add-navigation-view'], 'Introduced.'),
  change('143', ['add-realm-domain'], 'Restricted to owners.'),
  change('127', ['get-is-user-group-member'], 'Introduced.'),
  change(
    '118 / 1',
    ['get-message-history'],
    '`stream` and `prev_stream` added; `allow_empty_topic_name` added at 334.',
  ),
  change(
    '167',
    [],
    'Every success reply may have `ignored_parameters_unsupported`; 78 ended the key/value report of processed parameters, 96 and 111 extended the list to further endpoints.',
  ),
];

/** The changes that concern an operation, of this table and of `levels.ts`, newest first. */
export function changesOf(operation: string): readonly Pick<ContractChange, 'levels' | 'text'>[] {
  const own = CHANGES.filter((one) => one.operations.includes(operation));
  const others = levelTexts(operation).map(({ level, text }) => ({ levels: String(level), text }));
  return [...own, ...others].sort((a, b) => newest(b) - newest(a));
}

function newest({ levels }: Pick<ContractChange, 'levels'>): number {
  return Math.max(...levels.split('/').map(Number));
}
