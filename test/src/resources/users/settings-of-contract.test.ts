import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { updateSettings } from '../../../../schemas/users/settings.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { userSettingsObject } from '../../../../src/organization/users/people-snapshot.js';
import { SettingsWorld } from '../../../fixtures/settings-world.js';

/** Texts as they are sent; what is stored and told is what they say as JSON, or they themselves. */
interface Row {
  readonly takes: readonly string[];
  readonly refuses: readonly string[];
  readonly msg: string;
}

const boolean = (name: string): Row => ({
  takes: ['true', 'false'],
  refuses: ['1', '"true"'],
  msg: `${name} is not a boolean`,
});

const oneOf = (name: string, takes: readonly string[], refuses: readonly string[]): Row => ({
  takes,
  refuses,
  msg: `Invalid ${name}`,
});

const integer = (name: string, takes: readonly string[]): Row => ({
  takes,
  refuses: ['1.5', '"1"'],
  msg: `${name} is not an integer`,
});

const BOOLEANS = [
  'twenty_four_hour_time',
  'starred_message_counts',
  'receives_typing_notifications',
  'web_suggest_update_timezone',
  'fluid_layout_width',
  'high_contrast_mode',
  'enable_drafts_synchronization',
  'translate_emoticons',
  'display_emoji_reaction_users',
  'web_escape_navigates_to_home_view',
  'left_side_userlist',
  'hide_ai_features',
  'web_inbox_show_channel_folders',
  'web_left_sidebar_show_channel_folders',
  'web_left_sidebar_unreads_count_summary',
  'enable_stream_desktop_notifications',
  'enable_stream_email_notifications',
  'enable_stream_push_notifications',
  'enable_stream_audible_notifications',
  'enable_desktop_notifications',
  'enable_sounds',
  'enable_offline_email_notifications',
  'enable_offline_push_notifications',
  'enable_online_push_notifications',
  'enable_followed_topic_desktop_notifications',
  'enable_followed_topic_email_notifications',
  'enable_followed_topic_push_notifications',
  'enable_followed_topic_audible_notifications',
] as const;

const [ONE_TO_THREE, NOT_THEM] = [
  ['1', '2', '3'],
  ['0', '4'],
];

/** The contract's table "User settings", but for identity (`full_name`, `email`, passwords). */
const SETTINGS: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(BOOLEANS.map((name) => [name, boolean(name)])),
  web_mark_read_on_scroll_policy: oneOf('web_mark_read_on_scroll_policy', ONE_TO_THREE, NOT_THEM),
  // 3 is described, though the enumeration leaves it out.
  web_channel_default_view: oneOf('web_channel_default_view', ['1', '2', '3', '4'], ['0', '5']),
  web_font_size_px: integer('web_font_size_px', ['14', '20']),
  web_line_height_percent: integer('web_line_height_percent', ['120', '140']),
  color_scheme: oneOf('color_scheme', ONE_TO_THREE, NOT_THEM),
  demote_inactive_streams: oneOf('demote_inactive_streams', ONE_TO_THREE, NOT_THEM),
  user_list_style: oneOf('user_list_style', ONE_TO_THREE, NOT_THEM),
  web_stream_unreads_count_display_policy: oneOf(
    'web_stream_unreads_count_display_policy',
    ONE_TO_THREE,
    NOT_THEM,
  ),
  default_language: oneOf('default_language', ['de', 'en-gb'], ['tlh']),
  web_home_view: oneOf('web_home_view', ['recent', 'inbox', 'all_messages'], ['feed', '1']),
  emojiset: oneOf('emojiset', ['text', 'emoji_set_a', 'emoji_set_b'], ['emoji_set_c']),
  web_animate_image_previews: oneOf(
    'web_animate_image_previews',
    ['always', 'on_hover', 'never'],
    ['sometimes'],
  ),
  timezone: {
    takes: ['Europe/Berlin', 'Asia/Kolkata'],
    refuses: ['Mars/Olympus'],
    msg: 'timezone is not a recognized time zone',
  },
  notification_sound: {
    takes: ['ding', 'none', 'zulip'],
    refuses: ['gong'],
    msg: "Invalid notification sound 'gong'",
  },
  email_notifications_batching_period_seconds: integer(
    'email_notifications_batching_period_seconds',
    ['60', '120'],
  ),
};

const decode = compileDecoder(updateSettings);

function send(world: SettingsWorld, user: UserDocument, name: string, text: string) {
  const { params } = decode(new Map([[name, text]]), {});
  return world.patch(user, params);
}

/** Numbers and booleans are JSON; everything else is text. */
function meant(text: string): unknown {
  return /^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
}

// [c:settings-each-value]
void t.test(
  'User settings: each value listed is stored, shown and told, others are refused',
  async (t) => {
    for (const [name, { takes, refuses, msg }] of Object.entries(SETTINGS)) {
      await t.test(name, async (t) => {
        const world = new SettingsWorld();
        const user = world.hamlet;
        // Away from the default first, or the first change would be none.
        for (const text of [takes.at(-1)!, ...takes]) {
          const value = meant(text);
          const before = userSettingsObject(world.org, user)[name];
          const since = world.position;
          t.strictSame(await send(world, user, name, text), {}, text);
          t.strictSame(userSettingsObject(world.org, user)[name], value, `${text} is shown`);
          const told = world.received(user, since).filter((one) => one.type === 'user_settings');
          t.match(
            told,
            before === value ? [] : [{ op: 'update', property: name, value }],
            `${text} is told`,
          );
          t.equal(told.length, before === value ? 0 : 1);
        }
        for (const text of refuses) {
          const before = userSettingsObject(world.org, user)[name];
          const since = world.position;
          await t.rejects(async () => send(world, user, name, text), {
            status: 400,
            code: 'BAD_REQUEST',
            message: msg,
          });
          t.equal(world.position, since);
          t.strictSame(
            userSettingsObject(world.org, user)[name],
            before,
            `${text} changes nothing`,
          );
        }
      });
    }
  },
);

// [c:typing-shown-by-default]
void t.test('User settings: typing is shown by default', async (t) => {
  const { org, hamlet } = new SettingsWorld();
  t.equal(userSettingsObject(org, hamlet).receives_typing_notifications, true);
});
