import t from 'tap';
import type { Trigger } from '../../../../schemas/notifications/missed-messages-document.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import { DEFAULT_USER_SETTINGS } from '../../../../schemas/users/user-settings.js';
import {
  decide,
  type ChannelChoices,
  type NotificationFacts,
  type NotificationSettings,
} from '../../../../src/organization/reasons/decide.js';

const { inherit, muted, unmuted, followed } = VISIBILITY;

/** A channel that its subscriber has not touched. */
const PLAIN: ChannelChoices = {
  muted: false,
  email: null,
  push: null,
  desktop: null,
  wildcardMentions: null,
};
const MUTED: ChannelChoices = { ...PLAIN, muted: true };

interface Row extends Partial<Omit<NotificationFacts, 'settings'>> {
  readonly settings?: Partial<NotificationSettings>;
}

const DIRECT: Row = { channel: null };
const TOPIC: Row = { channel: PLAIN };
const FOLLOWED: Row = { ...TOPIC, topicPolicy: followed };
const MENTION: Row = { ...TOPIC, isMentioned: true };
const WILDCARD: Row = { ...TOPIC, isWildcardMentioned: true };
const ALERT: Row = { ...TOPIC, hasAlertWord: true };

function of({ settings, ...facts }: Row): NotificationFacts {
  return {
    isPerson: true,
    isRead: false,
    isAway: true,
    takesMails: true,
    channel: PLAIN,
    topicPolicy: inherit,
    isMentioned: false,
    isWildcardMentioned: false,
    hasAlertWord: false,
    ...facts,
    settings: { ...DEFAULT_USER_SETTINGS, ...settings },
  };
}

const no = null;
const noPersonal = {
  enable_offline_email_notifications: false,
  enable_offline_push_notifications: false,
};
const noFollowed = {
  enable_followed_topic_email_notifications: false,
  enable_followed_topic_push_notifications: false,
};
const ofChannels = {
  enable_stream_email_notifications: true,
  enable_stream_push_notifications: true,
};

/** What it is; the facts; why a mail is sent; why a push is. */
const TABLE: readonly [string, Row, Trigger | null, Trigger | null][] = [
  ['a direct message', DIRECT, 'direct_message', 'direct_message'],
  ['a direct message to who is there', { ...DIRECT, isAway: false }, no, 'direct_message'],
  [
    'a direct message to who is there and wants no push then',
    { ...DIRECT, isAway: false, settings: { enable_online_push_notifications: false } },
    no,
    no,
  ],
  [
    'a direct message to who is away and wants no push while there',
    { ...DIRECT, settings: { enable_online_push_notifications: false } },
    'direct_message',
    'direct_message',
  ],
  ['one’s own message, a bot, a deactivated account', { ...DIRECT, isPerson: false }, no, no],
  ['a mention of a bot', { ...MENTION, isPerson: false }, no, no],
  [
    'a direct message to an unverified address',
    { ...DIRECT, takesMails: false },
    no,
    'direct_message',
  ],
  ['a message of a muted user, which is read on arrival', { ...DIRECT, isRead: true }, no, no],
  ['a mention by a muted user', { ...MENTION, isRead: true }, no, no],
  ['a direct message, mails off', { ...DIRECT, settings: noPersonal }, no, no],
  [
    'a direct message, only mails off',
    { ...DIRECT, settings: { enable_offline_email_notifications: false } },
    no,
    'direct_message',
  ],
  [
    'a direct message, only pushes off',
    { ...DIRECT, settings: { enable_offline_push_notifications: false } },
    'direct_message',
    no,
  ],
  [
    'a mention in a direct message',
    { ...DIRECT, isMentioned: true },
    'direct_message',
    'direct_message',
  ],
  ['a message to a channel', TOPIC, no, no],
  ['a mention', MENTION, 'mention', 'mention'],
  ['a mention of who is there', { ...MENTION, isAway: false }, no, 'mention'],
  ['a mention, switched off', { ...MENTION, settings: noPersonal }, no, no],
  ['a mention in a muted channel', { ...MENTION, channel: MUTED }, 'mention', 'mention'],
  ['a mention in a muted topic', { ...MENTION, topicPolicy: muted }, 'mention', 'mention'],
  [
    'a mention and a wildcard in a followed topic',
    { ...MENTION, isWildcardMentioned: true, topicPolicy: followed },
    'mention',
    'mention',
  ],
  ['a wildcard mention', WILDCARD, 'wildcard', 'wildcard'],
  [
    'a wildcard mention, switched off',
    { ...WILDCARD, settings: { wildcard_mentions_notify: false } },
    no,
    no,
  ],
  [
    'a wildcard mention, switched off for the channel',
    { ...WILDCARD, channel: { ...PLAIN, wildcardMentions: false } },
    no,
    no,
  ],
  [
    'a wildcard mention, switched on for the channel alone',
    {
      channel: { ...PLAIN, wildcardMentions: true },
      isWildcardMentioned: true,
      settings: { wildcard_mentions_notify: false },
    },
    'wildcard',
    'wildcard',
  ],
  ['a wildcard mention, no personal ones', { ...WILDCARD, settings: noPersonal }, no, no],
  ['a wildcard mention in a muted channel', { ...WILDCARD, channel: MUTED }, no, no],
  ['a wildcard mention in a muted topic', { ...WILDCARD, topicPolicy: muted }, no, no],
  [
    'a wildcard mention in an unmuted topic of a muted channel',
    { ...WILDCARD, channel: MUTED, topicPolicy: unmuted },
    'wildcard',
    'wildcard',
  ],
  [
    'a wildcard mention in a followed topic',
    { ...WILDCARD, topicPolicy: followed },
    'followed_topic_wildcard',
    'followed_topic_wildcard',
  ],
  [
    'a wildcard mention in a followed topic, wildcards off elsewhere',
    { ...WILDCARD, topicPolicy: followed, settings: { wildcard_mentions_notify: false } },
    'followed_topic_wildcard',
    'followed_topic_wildcard',
  ],
  [
    'a wildcard mention in a followed topic, off there',
    {
      ...WILDCARD,
      topicPolicy: followed,
      settings: { enable_followed_topic_wildcard_mentions_notify: false },
    },
    'wildcard',
    'wildcard',
  ],
  ['an alert word', ALERT, 'alert_word', 'alert_word'],
  ['an alert word, switched off', { ...ALERT, settings: noPersonal }, no, no],
  ['an alert word in a muted topic', { ...ALERT, topicPolicy: muted }, no, no],
  ['an alert word in a muted channel', { ...ALERT, channel: MUTED }, no, no],
  ['a followed topic', FOLLOWED, 'followed_topic', 'followed_topic'],
  ['a followed topic of who is there', { ...FOLLOWED, isAway: false }, no, 'followed_topic'],
  [
    'a followed topic in a muted channel',
    { ...FOLLOWED, channel: MUTED },
    'followed_topic',
    'followed_topic',
  ],
  [
    'a followed topic, only mails off',
    { ...FOLLOWED, settings: { enable_followed_topic_email_notifications: false } },
    no,
    'followed_topic',
  ],
  [
    'a followed topic, only pushes off',
    { ...FOLLOWED, settings: { enable_followed_topic_push_notifications: false } },
    'followed_topic',
    no,
  ],
  ['a followed topic, switched off', { ...FOLLOWED, settings: noFollowed }, no, no],
  [
    'a followed topic, switched off, in a channel that is on',
    { ...FOLLOWED, settings: { ...noFollowed, ...ofChannels } },
    'channel',
    'channel',
  ],
  [
    'a followed topic, no personal ones',
    { ...FOLLOWED, settings: noPersonal },
    'followed_topic',
    'followed_topic',
  ],
  ['channels on', { ...TOPIC, settings: ofChannels }, 'channel', 'channel'],
  [
    'mails of channels on',
    { ...TOPIC, settings: { enable_stream_email_notifications: true } },
    'channel',
    no,
  ],
  [
    'pushes of channels on',
    { ...TOPIC, settings: { enable_stream_push_notifications: true } },
    no,
    'channel',
  ],
  ['channels on, and there', { ...TOPIC, isAway: false, settings: ofChannels }, no, 'channel'],
  ['channels on, this one muted', { channel: MUTED, settings: ofChannels }, no, no],
  ['channels on, the topic muted', { ...TOPIC, topicPolicy: muted, settings: ofChannels }, no, no],
  [
    'channels on, this one muted, the topic unmuted',
    { channel: MUTED, topicPolicy: unmuted, settings: ofChannels },
    'channel',
    'channel',
  ],
  [
    'channels on, mails off for this one',
    { channel: { ...PLAIN, email: false }, settings: ofChannels },
    no,
    'channel',
  ],
  ['mails on for this channel alone', { channel: { ...PLAIN, email: true } }, 'channel', no],
  ['pushes on for this channel alone', { channel: { ...PLAIN, push: true } }, no, 'channel'],
  [
    'a mention in a channel that is on, personal ones off',
    { ...MENTION, settings: { ...noPersonal, ...ofChannels } },
    'channel',
    'channel',
  ],
];

// [c:notified-by-mail-and-push]
void t.test('who is told of a message by mail and by push, and why', async (t) => {
  for (const [title, facts, email, push] of TABLE) {
    t.strictSame(decide(of(facts)), { email, push }, title);
  }
});
