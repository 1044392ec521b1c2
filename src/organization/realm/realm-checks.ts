import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import { isLanguage } from '../../../schemas/realm/languages.js';
import { MAX_REALM_NAME_LENGTH } from '../../../schemas/limits.js';
import {
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
} from '../../../schemas/groups/permissions.js';
import {
  OWNERS_REALM_SETTINGS,
  PLAIN_REALM_SETTINGS,
  REALM_CHANNELS,
  REALM_TIME_LIMITS,
  type updateRealm,
} from '../../../schemas/realm/realm.js';
import { badRequest, badValue, mustBe } from '../../errors/index.js';
import { invalidCharacterAt } from '../../services/text/stored-text.js';
import { noWebPublicChannels } from '../channels/channel-creation.js';
import { visibleChannel } from '../access/channel-rights.js';
import { changedGroupSetting } from '../access/group-setting.js';
import { loginMethods } from '../accounts/login-methods.js';
import { lacksTwoFactor, twoFactorDemand } from '../accounts/two-factor.js';
import { isWebAddress } from '../users/profile-fields.js';
import type { Organization } from '../state/organization.js';
import type { RealmChange } from './realm-change.js';

/** Parameters of `PATCH /realm`, decoded. */
type RealmParams = ParamsOf<typeof updateRealm>;

type Change = { -readonly [K in keyof RealmDocument]?: RealmDocument[K] };

/** Value that means the server's own Jitsi address, where it has one. */
const DEFAULT_JITSI = 'default';
const MAX_URL_LENGTH = 200;

/**
 * Checks an update of the organization's settings (endpoints-organization.md#change-organization) and converts it
 * to stored form; the caller adds the description's HTML.
 * @throws ApiError for the first fault in the order of that section
 */
export function checkedRealm(
  org: Organization,
  user: UserDocument,
  params: RealmParams,
): RealmChange {
  permitRealmChange(user, (name) => params[name] !== undefined);
  if (params.enable_spectator_access === true) throw noWebPublicChannels();
  if (params.digest_emails_enabled === true && !org.site.mails) {
    throw badRequest('Digest e-mails are not supported by this server.');
  }
  const change: Change = {};
  Object.assign(change, plain(params));
  profile(params, change);
  numbers(params, change);
  for (const name of REALM_CHANNELS) {
    const id = params[name];
    if (id !== undefined) change[name] = channelFor(org, user, name, id);
  }
  services(org, params, change);
  const { authentication_methods: methods } = params;
  if (methods) change.authentication_methods = checkedMethods(org, methods);
  twoFactor(org, user, params, change);
  permissions(org, params, change);
  return change;
}

/** Whoever demands a second factor has one: nobody locks themselves out. */
function twoFactor(
  org: Organization,
  user: UserDocument,
  { require_two_factor: demand }: RealmParams,
  change: Change,
): void {
  if (demand === undefined || demand === twoFactorDemand(org)) return;
  if (lacksTwoFactor(org, user, demand)) {
    throw badRequest('Set up two-factor authentication for your own account first.');
  }
  change.require_two_factor = demand;
}

type OwnersSetting = (typeof OWNERS_REALM_SETTINGS)[number];

/** @throws ApiError for settings that only owners change, to others */
export function permitRealmChange(
  user: UserDocument,
  gives: (name: OwnersSetting) => boolean,
): void {
  if (user.role !== ROLE.owner && OWNERS_REALM_SETTINGS.some(gives)) throw mustBe('owner');
}

function plain(params: RealmParams): Record<string, unknown> {
  const names = [
    ...PLAIN_REALM_SETTINGS,
    'description',
    'waiting_period_threshold',
    'default_code_block_language',
    'media_preview_size',
  ] as const;
  const given = names.filter((name) => params[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, params[name]]));
}

function profile({ name, string_id, default_language }: RealmParams, change: Change): void {
  if (name !== undefined) change.name = checkedName(name);
  if (string_id !== undefined) throw badRequest('Must be a demo organization.');
  if (default_language === undefined) return;
  if (!isLanguage(default_language)) throw badRequest(`Invalid language '${default_language}'`);
  change.default_language = default_language;
}

function checkedName(raw: string): string {
  const name = raw.trim();
  if (name === '') throw badRequest('Organization name cannot be blank');
  if ([...name].length > MAX_REALM_NAME_LENGTH) {
    throw badRequest(`name is too long (limit: ${MAX_REALM_NAME_LENGTH} characters)`);
  }
  const position = invalidCharacterAt(name);
  if (position !== null) {
    throw badRequest(`Invalid character in organization name, at position ${position}!`);
  }
  return name;
}

function numbers(params: RealmParams, change: Change): void {
  for (const name of REALM_TIME_LIMITS) {
    const value = params[name];
    if (value === undefined) continue;
    if (value === 'unlimited') change[name] = null;
    else change[name] = positive(name, value);
  }
  const { message_retention_days: days } = params;
  if (days === undefined) return;
  const forEver = days === 'unlimited' || days === -1;
  change.message_retention_days = forEver ? -1 : positive('message_retention_days', days);
}

function positive(name: string, value: number | string): number {
  if (typeof value === 'string' || value <= 0) throw badValue(name, value);
  return value;
}

function channelFor(
  org: Organization,
  user: UserDocument,
  name: (typeof REALM_CHANNELS)[number],
  id: number,
): number {
  if (id === -1) return id;
  const channel: ChannelDocument = visibleChannel(org, user, id);
  if (channel.is_archived) throw badRequest('Invalid channel ID');
  if (name === 'moderation_request_channel_id' && !channel.invite_only) {
    throw badRequest('Moderation request channel must be private.');
  }
  return id;
}

function services(org: Organization, params: RealmParams, change: Change): void {
  const { video_chat_provider: provider, jitsi_server_url: url } = params;
  if (provider !== undefined) {
    const known = Object.values(videoChatProviders(org)).find(({ id }) => id === provider)?.id;
    if (known === undefined) throw badRequest(`Invalid video_chat_provider ${provider}`);
    change.video_chat_provider = known;
  }
  if (url === undefined) return;
  if (url === DEFAULT_JITSI) change.jitsi_server_url = null;
  else if (url.length > MAX_URL_LENGTH || !isWebAddress(url)) {
    throw badRequest('jitsi_server_url is not a URL');
  } else change.jitsi_server_url = url;
}

/** The organization's choice for every known login method; methods absent from the request keep theirs. */
function checkedMethods(
  org: Organization,
  asked: Readonly<Record<string, boolean>>,
): Record<string, boolean> {
  const known = loginMethods(org);
  const methods: Record<string, boolean> = {};
  for (const [name, { enabled }] of Object.entries(known)) methods[name] = asked[name] ?? enabled;
  for (const name of Object.keys(asked)) {
    if (!Object.hasOwn(known, name)) {
      const valid = Object.keys(known).join(', ');
      throw badRequest(`Invalid authentication method: ${name}. Valid methods are: ${valid}`);
    }
  }
  const usable = Object.entries(methods).some(([name, on]) => on && known[name]!.available);
  if (!usable) throw badRequest('At least one authentication method must be enabled.');
  return methods;
}

function permissions(org: Organization, params: RealmParams, change: Change): void {
  for (const name of REALM_PERMISSIONS) {
    const asked = params[name];
    if (!asked) continue;
    const rules = REALM_PERMISSION_SETTINGS[name];
    const value = changedGroupSetting(org, name, rules, org.realm.current[name], asked);
    if (value === undefined) continue;
    if (name === 'can_create_web_public_channel_group') throw noWebPublicChannels();
    change[name] = value;
  }
}

/** As `video_chat_provider` names them (register-realm.md#realm). */
interface VideoChatProvider {
  readonly name: string;
  readonly id: 0 | 1 | 4 | 5;
}

/** Where calls may be made, by the name that clients know; Jitsi needs nothing of this server. */
export function videoChatProviders({
  site,
}: Organization): Readonly<Record<string, VideoChatProvider>> {
  const providers = site.videoCalls?.providers ?? [];
  return {
    disabled: { name: 'None', id: 0 },
    jitsi_meet: { name: 'Jitsi Meet', id: 1 },
    ...(providers.includes('BigBlueButton') && {
      big_blue_button: { name: 'BigBlueButton', id: 4 as const },
    }),
    ...(providers.includes('Zoom') && {
      zoom_server_to_server: { name: 'Zoom', id: 5 as const },
    }),
  };
}
