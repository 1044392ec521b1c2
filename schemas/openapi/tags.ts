/** A group of endpoints on the page. */
interface Tag {
  readonly name: string;
  readonly description: string;
  /** Paths that belong to it; the first tag that fits has them. */
  readonly paths: RegExp;
}

const TAGS: readonly Tag[] = [
  {
    name: 'Logging in',
    description:
      'API keys by password, by directory or by token; what clients need before login; sessions.',
    paths: /^\/(server_settings|fetch_api_key|jwt\/|users\/me\/(api_key|sessions|two_factor))/,
  },
  {
    name: 'Events',
    description: 'Event queues: registering, polling, the WebSocket.',
    paths: /^\/(register$|events)/,
  },
  {
    name: 'Scheduled messages and reminders',
    description: 'Scheduled messages and reminders.',
    paths: /^\/(scheduled_messages|reminders)/,
  },
  {
    name: 'Messages',
    description: 'Sending, reading, changing and deleting messages; typing; files.',
    paths: /^\/(messages|typing|mark_|user_uploads|attachments|submessage)/,
  },
  {
    name: 'Subscriptions',
    description: 'Subscriptions to channels and their settings.',
    paths: /^\/(users\/me\/(subscriptions|\{stream_id\})|user_topics)/,
  },
  {
    name: 'Channels',
    description: 'Channels, their topics and folders.',
    paths: /^\/(streams|channels|channel_folders|default_streams|get_stream_id)/,
  },
  {
    name: 'Personal',
    description: 'Settings and personal data.',
    paths:
      /^\/(settings|drafts|saved_snippets|navigation_views|users\/me\/(alert_words|muted_users|onboarding))/,
  },
  {
    name: 'Devices',
    description: 'Push tokens and devices.',
    paths: /^\/(users\/me\/(apns|android)|mobile_push|register_client|remove_client)/,
  },
  {
    name: 'Presence and status',
    description: 'Presence and status of users.',
    paths: /presence|\/status$/,
  },
  {
    name: 'Bots',
    description: 'Programs with accounts, and what they store.',
    paths: /^\/(bot|external)/,
  },
  {
    name: 'User groups',
    description: 'Groups, their members and permissions.',
    paths: /^\/user_groups/,
  },
  {
    name: 'Invitations',
    description: 'Inviting people, by mail and by link.',
    paths: /^\/invites/,
  },
  {
    name: 'Users',
    description: 'Accounts, profiles and pictures.',
    // Of what is below `users/me` only this: anything else belongs to a chapter above, which then names it.
    paths: /^\/(users$|users\/\{|users\/me$|users\/me\/(avatar|profile_data)|avatar)/,
  },
  {
    name: 'Organization',
    description: 'Settings, linkifiers, allowed domains, profile fields and emoji.',
    paths: /^\/(realm|exports?\/|backups\/|calls|thumbnail|zcommand)/,
  },
];

/** The tag of a path below the API's base; empty where no tag has it, which a test refuses. */
export function tagOf(path: string): string {
  return TAGS.find((tag) => tag.paths.test(path))?.name ?? '';
}

/** The tags in the order of the page, as the document lists them. */
export function tagObjects(): { name: string; description: string }[] {
  return TAGS.map(({ name, description }) => ({ name, description }));
}
