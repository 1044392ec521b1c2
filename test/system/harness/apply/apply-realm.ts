import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import type { GroupState } from '../../../fixtures/group-client.js';
import type { Body, Snapshot, WireEvent } from '../client.js';

/** Rights of one's own that follow from permissions and groups; no event carries them. */
const OWN_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  can_create_public_streams: ['can_create_public_channel_group'],
  can_create_private_streams: ['can_create_private_channel_group'],
  can_create_web_public_streams: ['can_create_web_public_channel_group'],
  can_create_streams: ['can_create_public_channel_group', 'can_create_private_channel_group'],
  can_invite_others_to_realm: ['can_invite_users_group'],
};

/** Older integers, by the system group that is the value. */
const CHANNEL_POLICY: Readonly<Record<string, number>> = {
  'role:everyone': 1,
  'role:members': 1,
  'role:administrators': 2,
  'role:fullmembers': 3,
  'role:moderators': 4,
  'role:nobody': 6,
  'role:owners': 7,
};
const MENTION_POLICY: Readonly<Record<string, number>> = {
  'role:everyone': 1,
  'role:members': 2,
  'role:fullmembers': 3,
  'role:administrators': 5,
  'role:owners': 5,
  'role:nobody': 6,
  'role:moderators': 7,
};

/** What a client knows of the organization's settings, and derives from them. */
export class RealmState {
  private readonly known: Body = {};
  /** Fields that events changed. */
  private readonly changed: Body = {};
  private readonly derivable: boolean;

  constructor(snapshot: Snapshot) {
    for (const [name, value] of Object.entries(structuredClone(snapshot))) {
      if (/^realm_/.test(name) || name === 'jitsi_server_url') this.known[name] = value;
    }
    this.derivable = 'realm_name' in snapshot && 'realm_user_groups' in snapshot;
  }

  apply(event: WireEvent): void {
    if (event.type === 'realm_user_settings_defaults') {
      const defaults = this.known.realm_user_settings_defaults as Body | undefined;
      if (defaults) defaults[String(event.property)] = event.value;
      this.changed.realm_user_settings_defaults = defaults;
    }
    if (event.type !== 'realm' || event.op === 'deactivated') return;
    const changes =
      event.op === 'update_dict' ? (event.data as Body) : { [String(event.property)]: event.value };
    for (const [name, value] of Object.entries(changes)) {
      this.known[`realm_${name}`] = value;
      this.changed[`realm_${name}`] = value;
    }
  }

  /** Nobody's presence is shown. */
  get hidesPresence(): boolean {
    return this.known.realm_presence_disabled === true;
  }

  /** Fields that this client cannot keep, because it did not ask for what they follow from. */
  isUnknowable(name: string): boolean {
    return !this.derivable && name in OWN_RIGHTS;
  }

  /** The fields that events changed, and those that follow from them. */
  fields(userId: number, groups: GroupState): Body {
    return this.derivable ? { ...this.changed, ...this.derived(userId, groups) } : this.changed;
  }

  private derived(userId: number, groups: GroupState): Body {
    const realm = this.known;
    const methods = realm.realm_authentication_methods as Record<string, { enabled: boolean }>;
    const email = methods.Email?.enabled ?? false;
    const ldap = methods.LDAP?.enabled ?? false;
    const policy = (setting: string, table: Readonly<Record<string, number>>, other: number) => {
      const value = realm[`realm_${setting}`];
      const name = typeof value === 'number' ? String(groups[String(value)]?.name) : '';
      return table[name] ?? other;
    };
    const rights = Object.entries(OWN_RIGHTS).map(([name, settings]) => {
      const may = settings.some((setting) =>
        allows(groups, realm[`realm_${setting}`] as GroupSettingValue, userId),
      );
      const needsSpectators = name === 'can_create_web_public_streams';
      return [name, may && (!needsSpectators || realm.realm_enable_spectator_access === true)];
    });
    return {
      ...(Object.fromEntries(rights) as Body),
      realm_allow_edit_history: realm.realm_message_edit_history_visibility_policy !== 'none',
      realm_email_auth_enabled: email,
      realm_password_auth_enabled: email || ldap,
      jitsi_server_url: realm.realm_jitsi_server_url,
      realm_create_public_stream_policy: policy(
        'can_create_public_channel_group',
        CHANNEL_POLICY,
        1,
      ),
      realm_create_private_stream_policy: policy(
        'can_create_private_channel_group',
        CHANNEL_POLICY,
        1,
      ),
      realm_create_web_public_stream_policy: policy(
        'can_create_web_public_channel_group',
        CHANNEL_POLICY,
        6,
      ),
      realm_wildcard_mention_policy: policy('can_mention_many_users_group', MENTION_POLICY, 5),
    };
  }
}

function allows(groups: GroupState, value: GroupSettingValue, userId: number): boolean {
  if (typeof value === 'number') return belongs(groups, value, userId);
  return (
    value.direct_members.includes(userId) ||
    value.direct_subgroups.some((id) => belongs(groups, id, userId))
  );
}

function belongs(groups: GroupState, id: number, userId: number): boolean {
  const group = groups[String(id)];
  if (!group || group.deactivated === true) return false;
  const subgroups = group.direct_subgroup_ids as number[];
  return (
    (group.members as number[]).includes(userId) ||
    subgroups.some((sub) => belongs(groups, sub, userId))
  );
}
