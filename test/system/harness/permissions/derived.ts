import type { Access, EndpointDescriptor } from '../../../../schemas/endpoint.js';
import type { Body } from '../client.js';
import { exampleCall } from '../example-call.js';
import {
  ACCOUNTS,
  ADMINISTRATORS,
  ANYONE,
  HUMAN_ADMINISTRATORS,
  HUMAN_MEMBERS,
  HUMAN_OWNERS,
  HUMANS,
  MEMBERS,
  OWNERS,
  type Case,
  type Who,
} from './roles.js';
import type { World } from './world.js';

const WHO: Readonly<Record<Access, Who>> = {
  anonymous: ANYONE,
  user: ACCOUNTS,
  human: HUMANS,
  member: MEMBERS,
  'human-member': HUMAN_MEMBERS,
  administrator: ADMINISTRATORS,
  owner: OWNERS,
  'human-administrator': HUMAN_ADMINISTRATORS,
  'human-owner': HUMAN_OWNERS,
};

/**
 * Any active user or bot may call an endpoint unless the contract says otherwise (conventions.md#callers). For those
 * without a row of their own these lists say it once more, so that an access that was declared wrongly is noticed.
 */
const NOT_FOR_ALL: Readonly<Record<Exclude<Access, 'user'>, readonly string[]>> = {
  anonymous: ['get-server-settings'],
  // Tokens are for humans, as the profile is (endpoints-users.md#avatar).
  human: [
    'add-apns-token',
    'add-fcm-token',
    'end-all-sessions',
    'get-bots',
    'get-sessions',
    'get-two-factor',
    'update-display-settings',
    'update-notification-settings',
    'update-own-status',
    'update-presence',
  ],
  // Guests have nothing to do with groups; bots have (seed, level 496).
  member: [
    'get-is-user-group-member',
    'get-user-group-members',
    'get-user-group-subgroups',
    'get-user-groups',
  ],
  'human-member': [],
  administrator: [
    'add-code-playground',
    'add-default-channel',
    'create-channel-folder',
    'create-custom-profile-field',
    'get-realm-export-consents',
    'get-realm-exports',
    'remove-default-channel',
    'remove-realm-icon',
    'remove-realm-logo',
    'test-welcome-bot-custom-message',
    'update-channel-folder',
    'update-realm-user-settings-defaults',
    'update-user-status',
    'upload-realm-icon',
    'upload-realm-logo',
  ],
  // Feature level 143: domains are of owners.
  owner: ['add-realm-domain', 'get-audit-log', 'remove-realm-domain'],
  // The console is for persons (endpoints-organization.md#console).
  'human-administrator': [
    'get-console',
    'get-files-usage',
    'get-waiting-mails',
    'make-support-bundle',
    'publish-test-event',
    'retry-mails',
    'send-test-mail',
    'try-services',
  ],
  'human-owner': [],
};

/** Operations of the lists, by who may call. */
export const LISTED: ReadonlyMap<string, Access> = new Map(
  Object.entries(NOT_FOR_ALL).flatMap(([access, operations]) =>
    operations.map((operation) => [operation, access as Access] as const),
  ),
);

/** What to add where an endpoint without a row declares another access than the lists say; null where they agree. */
export function accessObjection(
  { operation, access }: Pick<EndpointDescriptor, 'operation' | 'access'>,
  listed: ReadonlyMap<string, Access> = LISTED,
): string | null {
  const said = listed.get(operation) ?? 'user';
  if (said === access) return null;
  const where = 'NOT_FOR_ALL of test/system/harness/permissions/derived.ts';
  if (access === 'user')
    return `${operation} is for all accounts: take it out of '${said}' of ${where}`;
  return `${operation} declares '${access}': add it to '${access}' of ${where}`;
}

const OF_MESSAGES = ['message_id', 'messages', 'msg_ids'];

/**
 * The case of an endpoint without a row: its example, about what the owner has, with a name that nobody had; and a
 * picture where a file belongs to it.
 */
export function derivedCase(endpoint: EndpointDescriptor): Case {
  const { operation, example = {}, file } = endpoint;
  const given = async (world: World): Promise<Body> => {
    const isOfMessage = OF_MESSAGES.some((name) => name in example);
    const body = exampleCall(endpoint, {
      userId: world.owner.userId,
      streamId: world.general,
      messageId: isOfMessage ? await world.message(world.owner) : 0,
      queueId: 'none',
    });
    return 'name' in example ? { ...body, name: world.name() } : body;
  };
  const who = WHO[LISTED.get(operation) ?? 'user'];
  return file === undefined ? { who, given } : { who, given, picture: true };
}
