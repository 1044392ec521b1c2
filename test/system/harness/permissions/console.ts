import type { Body } from '../client.js';
import { sendPicture } from './picture.js';
import {
  HUMAN_ADMINISTRATORS,
  ANYONE,
  HUMAN_OWNERS,
  HUMAN_OWNERS_AMONG_ADMINISTRATORS,
  refused,
  type Case,
  type Matrix,
  type Who,
} from './roles.js';
import type { World } from './world.js';

const OWNER_ROLE = 100;
const MEMBER_ROLE = 400;

/** Of a member any administrator, of an owner owners alone. */
function aboutPeople(
  more: Body = {},
  meets?: Case['meets'],
  ofMember: Who = HUMAN_ADMINISTRATORS,
): Case[] {
  const given =
    (role: number) =>
    async (world: World): Promise<Body> => ({ user_id: await world.spare(role), ...more });
  const rest = meets ? { meets } : {};
  return [
    { who: ofMember, of: 'a member', given: given(MEMBER_ROLE), ...rest },
    { who: HUMAN_OWNERS_AMONG_ADMINISTRATORS, of: 'an owner', given: given(OWNER_ROLE), ...rest },
  ];
}

/** What administrators do in the console (endpoints-organization.md#console-deeds). */
export const CONSOLE: Matrix = {
  'get-person-logins': aboutPeople(),
  // Without a mail server.
  'reset-person-password': aboutPeople({}, undefined, HUMAN_OWNERS_AMONG_ADMINISTRATORS),
  'end-person-session': aboutPeople(
    { session_id: 999 },
    refused('No such session', 'BAD_REQUEST', 404),
  ),
  'log-person-out': aboutPeople(),
  'remove-person-two-factor': aboutPeople({}, refused('They have no second factor.')),
  'delete-any-file': [
    {
      who: HUMAN_ADMINISTRATORS,
      given: async ({ owner }) => {
        await sendPicture(owner, '/user_uploads');
        const { attachments } = await owner.ok('GET', '/attachments');
        const ids = (attachments as { id: number }[]).map((one) => one.id);
        return { attachment_id: Math.max(...ids) };
      },
    },
  ],
  'make-backup': [
    {
      who: HUMAN_ADMINISTRATORS,
      meets: refused('The server knows no folder for backups (--backup-to).'),
    },
  ],
  'link-backup': [
    {
      who: HUMAN_OWNERS,
      given: () => ({ backup: 'parley-2026-11-27T03-30-00-000Z.jsonl' }),
      meets: refused('There is no such backup.'),
    },
  ],
  'get-backup-file': [
    {
      who: ANYONE,
      given: () => ({ token: 'x', filename: 'x.jsonl' }),
      meets: refused('File not found.', 'BAD_REQUEST', 404),
    },
  ],
};
