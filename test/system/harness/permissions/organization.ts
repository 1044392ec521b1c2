import type { ApiClient, Body } from '../client.js';
import { sendPicture } from './picture.js';
import {
  ACCOUNTS,
  ADMINISTRATORS,
  administratorsElse,
  except,
  HUMAN_MEMBERS,
  NO_BOTS,
  NO_GUESTS,
  NO_RIGHT,
  OWNERS,
  OWNERS_AMONG_ADMINISTRATORS,
  refused,
  type Matrix,
  type Who,
} from './roles.js';
import type { World } from './world.js';

/** An invitation of the owner: administrators, beside who made it. */
const OF_THE_INVITATION: Who = except(ADMINISTRATORS, { guest: NO_GUESTS, bot: NO_BOTS });

const NOT_THE_AUTHOR = refused('Must be an organization administrator or emoji author');

/**
 * The organization, its lists and invitations (endpoints-organization.md#organization;
 * specification-endpoints.md#send-invitations, specification-endpoints.md#create-invitation-link,
 * specification-endpoints.md#add-linkifier, specification-endpoints.md#update-linkifier,
 * specification-endpoints.md#add-domain).
 */
export const ORGANIZATION: Matrix = {
  'update-realm': [
    { who: ADMINISTRATORS, of: 'most settings', given: () => ({ digest_weekday: 2 }) },
    {
      who: OWNERS_AMONG_ADMINISTRATORS,
      of: 'settings of owners',
      given: () => ({ invite_required: true }),
    },
  ],
  'deactivate-realm': [
    {
      who: OWNERS,
      // Otherwise nobody could be asked after them.
      given: () => ({ deletion_delay_days: 14 }),
      meets: refused("Deleting the organization's data is not supported by this server."),
    },
  ],

  'add-linkifier': [{ who: ADMINISTRATORS, given: (world) => linkifier(world) }],
  'update-linkifier': [
    {
      who: ADMINISTRATORS,
      given: async (world) => ({ filter_id: await linkifierId(world), ...linkifier(world) }),
    },
  ],
  'remove-linkifier': [
    { who: ADMINISTRATORS, given: async (world) => ({ filter_id: await linkifierId(world) }) },
  ],
  'reorder-linkifiers': [
    {
      who: ADMINISTRATORS,
      given: async (world) => {
        await linkifierId(world);
        const { linkifiers } = await world.owner.ok('GET', '/realm/linkifiers');
        const ids = (linkifiers as { id: number }[]).map((one) => one.id);
        return { ordered_linkifier_ids: ids.reverse() };
      },
    },
  ],

  'remove-code-playground': [
    {
      who: ADMINISTRATORS,
      given: async (world) => {
        const { id } = await world.owner.ok('POST', '/realm/playgrounds', playground(world));
        return { playground_id: id };
      },
    },
  ],

  'update-custom-profile-field': [
    {
      who: ADMINISTRATORS,
      given: async (world) => ({ field_id: await profileField(world), hint: 'else' }),
    },
  ],
  'delete-custom-profile-field': [
    { who: ADMINISTRATORS, given: async (world) => ({ field_id: await profileField(world) }) },
  ],
  'reorder-custom-profile-fields': [
    {
      who: ADMINISTRATORS,
      given: async ({ owner }) => {
        const { custom_fields } = await owner.ok('GET', '/realm/profile_fields');
        return { order: (custom_fields as { id: number }[]).map((one) => one.id) };
      },
    },
  ],

  'update-realm-domain': [{ who: OWNERS, given: (world) => domainOf(world) }],

  'upload-custom-emoji': [
    {
      who: except(ACCOUNTS, { 'new member': NO_RIGHT, guest: NO_RIGHT }),
      picture: true,
      given: (world) => ({ emoji_name: world.name() }),
    },
  ],
  'deactivate-custom-emoji': [
    {
      who: except(administratorsElse(NOT_THE_AUTHOR), { 'full member': 'allowed' }),
      given: async (world) => ({ emoji_name: await emoji(world) }),
    },
  ],

  'get-invites': [{ who: HUMAN_MEMBERS }],
  'send-invites': [
    {
      who: except(HUMAN_MEMBERS, { 'new member': NO_RIGHT }),
      of: 'members',
      given: (world) => ({ invitee_emails: `${world.name()}@example.org`, stream_ids: [] }),
    },
    {
      // Only roles equal to or more restricted than the caller's own (specification-endpoints.md#send-invitations).
      who: except(OF_THE_INVITATION, { 'new member': NO_RIGHT }),
      of: 'administrators',
      given: (world) => ({
        invitee_emails: `${world.name()}@example.org`,
        stream_ids: [],
        invite_as: 200,
      }),
    },
    {
      who: {
        ...except(OWNERS, { guest: NO_GUESTS, bot: NO_BOTS }),
        'new member': NO_RIGHT,
      },
      of: 'owners',
      given: (world) => ({
        invitee_emails: `${world.name()}@example.org`,
        stream_ids: [],
        invite_as: 100,
      }),
    },
  ],
  'create-invite-link': [
    {
      who: except(administratorsElse(NO_RIGHT), { guest: NO_GUESTS, bot: NO_BOTS }),
      of: 'members',
    },
    {
      who: except(administratorsElse(NO_RIGHT), {
        administrator: OWNERS.administrator,
        guest: NO_GUESTS,
        bot: NO_BOTS,
      }),
      of: 'owners',
      given: () => ({ invite_as: 100 }),
    },
  ],
  'revoke-invite': [
    {
      who: OF_THE_INVITATION,
      given: async (world) => ({ invite_id: await invitation(world.owner, world) }),
    },
  ],
  'resend-invite': [
    {
      who: OF_THE_INVITATION,
      given: async (world) => ({ invite_id: await invitation(world.owner, world) }),
    },
  ],
  'revoke-invite-link': [
    {
      who: OF_THE_INVITATION,
      given: async ({ owner }) => {
        await owner.ok('POST', '/invites/multiuse');
        return { invite_id: await newest(owner, true) };
      },
    },
  ],
};

/** Of the full member. */
async function emoji(world: World): Promise<string> {
  const name = world.name();
  await sendPicture(world.caller('full member')!, `/realm/emoji/${name}`);
  return name;
}

function linkifier(world: World): Body {
  const name = world.name();
  return { pattern: `${name}-(?P<id>[0-9]+)`, url_template: `https://example.org/${name}/{id}` };
}

async function linkifierId(world: World): Promise<number> {
  return Number((await world.owner.ok('POST', '/realm/filters', linkifier(world))).id);
}

function playground(world: World): Body {
  const name = world.name();
  return { name, pygments_language: 'python', url_template: `https://example.org/${name}/{code}` };
}

async function profileField(world: World): Promise<number> {
  const parameters = { field_type: 1, name: world.name() };
  return Number((await world.owner.ok('POST', '/realm/profile_fields', parameters)).id);
}

function domain(world: World): Body {
  return { domain: `${world.name()}.example.org`, allow_subdomains: false };
}

async function domainOf(world: World): Promise<Body> {
  const made = domain(world);
  await world.owner.ok('POST', '/realm/domains', made);
  return { ...made, allow_subdomains: true };
}

async function invitation(by: ApiClient, world: World): Promise<number> {
  const invitee_emails = `${world.name()}@example.org`;
  await by.ok('POST', '/invites', { invitee_emails, stream_ids: [] });
  return newest(by, false);
}

/** The id of the last invitation or link. */
async function newest(by: ApiClient, multiuse: boolean): Promise<number> {
  const { invites } = await by.ok('GET', '/invites');
  const all = invites as { id: number; is_multiuse: boolean }[];
  return Math.max(...all.filter((one) => one.is_multiuse === multiuse).map((one) => one.id));
}
