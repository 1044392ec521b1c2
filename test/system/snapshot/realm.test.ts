import t from 'tap';
import { REALM_PERMISSIONS, type RealmPermission } from '../../../schemas/groups/permissions.js';
import { DEFAULTABLE_SETTINGS, type DefaultableSetting } from '../../../schemas/realm/realm.js';
import { USER_SETTINGS } from '../../../schemas/users/user-settings.js';
import type { Body } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { setUpTwoFactor } from '../harness/second-factor.js';
import { OWNER_PASSWORD } from '../harness/server.js';
import { otherSetting } from '../harness/other-setting.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

const realm = (parameters: Body): Operation => {
  return ({ owner }) => owner.ok('PATCH', '/realm', parameters);
};

/** Another value for each setting that is not a permission, by name. */
const VALUES: Readonly<Record<string, unknown>> = {
  name: 'Elsinore',
  description: 'A **castle**, see #**general**',
  org_type: 10,
  default_language: 'de',
  want_advertise_in_communities_directory: true,
  presence_disabled: true,
  invite_required: false,
  emails_restricted_to_domains: true,
  disallow_disposable_email_addresses: false,
  require_unique_names: true,
  send_welcome_emails: false,
  welcome_message_custom_text: 'Hail',
  name_changes_disabled: true,
  email_changes_disabled: true,
  avatar_changes_disabled: true,
  default_avatar_source: 'J',
  allow_message_editing: false,
  message_content_edit_limit_seconds: 'unlimited',
  message_content_delete_limit_seconds: 3600,
  move_messages_within_stream_limit_seconds: 'unlimited',
  move_messages_between_streams_limit_seconds: 60,
  message_edit_history_visibility_policy: 'none',
  topics_policy: 'disable_empty_topic',
  enable_read_receipts: false,
  message_retention_days: 30,
  inline_image_preview: false,
  inline_url_embed_preview: true,
  media_preview_size: 200,
  default_code_block_language: 'python',
  message_content_allowed_in_email_notifications: false,
  digest_weekday: 4,
  send_channel_events_messages: false,
  enable_guest_user_indicator: false,
  enable_guest_user_dm_warning: false,
  video_chat_provider: 1,
  jitsi_server_url: 'https://meet.example.org',
  gif_rating_policy: 3,
  require_e2ee_push_notifications: true,
  waiting_period_threshold: 3,
};

/** System groups that a permission may be set to, beside its default. */
function anotherGroup(name: RealmPermission, ids: Readonly<Record<string, number>>): number {
  if (name === 'can_set_delete_message_policy_group') return ids['role:administrators']!;
  if (name === 'can_access_all_users_group') return ids['role:members']!;
  return ids['role:moderators']!;
}

async function operations({ owner }: AskedOrganization): Promise<Record<string, Operation>> {
  const { user_groups } = await owner.ok('GET', '/user_groups');
  const groups = user_groups as { id: number; name: string }[];
  const ids = Object.fromEntries(groups.map(({ id, name }) => [name, id]));
  const { streams } = await owner.ok('GET', '/streams');
  const general = (streams as { stream_id: number }[])[0]!.stream_id;
  const plain = Object.entries(VALUES).map(([name, value]): [string, Operation] => [
    name,
    realm({ [name]: value }),
  ]);
  const permissions = REALM_PERMISSIONS.filter(
    (name) => name !== 'can_create_web_public_channel_group',
  ).map((name): [string, Operation] => [name, realm({ [name]: { new: anotherGroup(name, ids) } })]);
  return {
    ...Object.fromEntries(plain),
    ...Object.fromEntries(permissions),
    'a permission of people and groups': ({ owner, hamlet }) =>
      realm({
        can_create_public_channel_group: {
          new: { direct_members: [hamlet.userId], direct_subgroups: [ids['role:owners']] },
          old: ids['role:moderators'],
        },
      })({ owner } as AskedOrganization),
    'announcement channels': realm({
      new_stream_announcements_stream_id: general,
      signup_announcements_stream_id: general,
      zulip_update_announcements_stream_id: general,
    }),
    'a second factor that is demanded': async ({ owner }) => {
      await setUpTwoFactor(owner, OWNER_PASSWORD);
      await owner.ok('PATCH', '/realm', { require_two_factor: 'administrators' });
    },
    'no announcement channel': realm({ new_stream_announcements_stream_id: -1 }),
    'several at once': realm({
      name: 'Denmark',
      allow_message_editing: true,
      message_content_edit_limit_seconds: 60,
      description: 'rotten',
      topics_policy: 'allow_empty_topic',
      waiting_period_threshold: 0,
      can_create_groups: { new: ids['role:members'] },
      can_manage_billing_group: { new: ids['role:owners'] },
    }),
  };
}

/** What is asked for to get the other value of a setting; one of them by its older name. */
function asked(name: DefaultableSetting): unknown {
  return name === 'web_home_view' ? 'recent_topics' : otherSetting(name);
}

void t.test('snapshot and events meet: the organization', async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet, iago } = organization;
  const viewers = [
    await Viewer.open('owner', owner, MODERN),
    await Viewer.open('hamlet, legacy', hamlet, LEGACY),
    await Viewer.open('iago', iago, MODERN),
  ];
  await check(t, organization, viewers, await operations(organization));
});

void t.test('snapshot and events meet: settings of new accounts', async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet } = organization;
  const viewers = [
    await Viewer.open('owner', owner, MODERN),
    await Viewer.open('hamlet, legacy', hamlet, LEGACY),
  ];
  const defaults = DEFAULTABLE_SETTINGS.map((name): [string, Operation] => [
    `default ${name}`,
    ({ owner }) => owner.ok('PATCH', '/realm/user_settings_defaults', { [name]: asked(name) }),
  ]);
  await check(t, organization, viewers, {
    ...Object.fromEntries(defaults),
    'a new account': ({ owner }) => owner.createUser('zoe'),
  });
  const zoe = await owner.createUser('yorick');
  const { user_settings } = await zoe.register();
  const { user_settings: kept } = await hamlet.register();
  for (const name of DEFAULTABLE_SETTINGS) {
    t.equal((user_settings as Body)[name], otherSetting(name), `${name} of a new account`);
    t.equal((kept as Body)[name], USER_SETTINGS[name].default, `${name} of an older one`);
  }

  const unsupported = { default_language: 'de', timezone: 'Europe/Rome', enter_sends: false };
  const reply = await owner.ok('PATCH', '/realm/user_settings_defaults', unsupported);
  t.strictSame(reply.ignored_parameters_unsupported, ['default_language', 'timezone']);
  const { body } = await hamlet.call('PATCH', '/realm/user_settings_defaults', unsupported);
  t.match(body, { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' });
  t.match((await hamlet.call('PATCH', '/realm', { name: 'Mine' })).body, {
    code: 'UNAUTHORIZED_PRINCIPAL',
    msg: 'Must be an organization administrator',
  });
});
