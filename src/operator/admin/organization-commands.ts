/** What the organization is, and what waits in it. */
import { revokeInvite, revokeInviteLink } from '../../../schemas/invitations/invites.js';
import { TWO_FACTOR_DEMANDS } from '../../../schemas/realm/realm-document.js';
import { updateRealm } from '../../../schemas/realm/realm.js';
import { badRequest } from '../../errors/index.js';
import { isOpen } from '../../organization/invitations/invite.js';
import {
  deactivateOrganization,
  reactivateOrganization,
} from '../../organization/realm/organization-end.js';
import { twoFactorDemand } from '../../organization/accounts/two-factor.js';
import { changeRealm } from '../../organization/realm/realm-change.js';
import { OPERATOR } from '../../organization/state/audited.js';
import type { ScheduleRow } from '../../organization/state/scheduled/schedule-index.js';
import type { AdminNode, AdminRequest, Work } from './admin-request.js';
import { callAsOwner } from './accounts.js';

/** Scheduled items that one listing shows, those due soonest. */
const MOST_SCHEDULED = 1000;

export const ORGANIZATION_COMMANDS: Readonly<Record<string, Work>> = {
  'organization show': show,
  'organization rename': async (node, { args: [name = ''] }) => {
    await callAsOwner(node, updateRealm, { name });
    return show(node);
  },
  'organization require-two-factor': (node, { args: [demand] }) => {
    const of = TWO_FACTOR_DEMANDS.find((one) => one === demand);
    if (!of) throw badRequest(`A second factor is demanded of ${TWO_FACTOR_DEMANDS.join(', ')}`);
    // Not as an owner, who would need a second factor: it is the way back for whoever has lost theirs.
    const { runtime } = node.served;
    runtime.transact((tx) => changeRealm(tx, { require_two_factor: of }), OPERATOR);
    return show(node);
  },
  'organization deactivate': (node) => {
    const { runtime, queues } = node.served;
    const end = () => queues.revokeAll();
    runtime.transact((tx) => deactivateOrganization(tx, null, end), OPERATOR);
    return show(node);
  },
  'organization reactivate': (node) => {
    node.served.runtime.transact(reactivateOrganization, OPERATOR);
    return show(node);
  },
  'invitations list': invitations,
  'invitations revoke': revoke,
  'scheduled list': scheduled,
};

function show({ served: { org, parts } }: AdminNode) {
  const { name, string_id, uuid, date_created, description, deactivated } = org.realm.current;
  return {
    name,
    description,
    url: org.site.url,
    store: parts.store.description,
    string_id,
    uuid,
    created: timeText(date_created * 1000),
    deactivated,
    users: org.users.active.size,
    channels: org.channels.size,
    groups: org.groups.size,
    messages: org.messages.index.size,
    invite_required: org.realm.current.invite_required,
    second_factor_of: twoFactorDemand(org),
    history: org.history.current?.id ?? 'none',
  };
}

/** Open invitations by mail, and reusable links; no link is shown, since whoever has it gets in. */
function invitations({ served: { org } }: AdminNode) {
  const now = org.now();
  const row = (one: {
    readonly id: number;
    readonly referrer_id: number;
    readonly invited_as: number;
    readonly invited: number;
    readonly expires_at: number | null;
  }) => ({
    by: nameOf({ org }, one.referrer_id),
    role: one.invited_as,
    invited: timeText(one.invited * 1000),
    expires: one.expires_at === null ? 'never' : timeText(one.expires_at),
  });
  const byMail = [...org.invitations.values()].filter((one) => isOpen(one, now));
  const links = [...org.multiuseInvitations.values()].filter(
    (one) => !one.revoked && isOpen(one, now),
  );
  return [
    ...byMail.map((one) => ({ id: String(one.id), to: one.email, ...row(one) })),
    ...links.map((one) => ({ id: `link-${one.id}`, to: 'whoever has the link', ...row(one) })),
  ];
}

/** By the id that the list shows. */
async function revoke(node: AdminNode, { args: [id = ''] }: AdminRequest): Promise<unknown> {
  const [, isLink, number] = /^(link-)?(\d{1,15})$/.exec(id) ?? [];
  if (number === undefined) throw badRequest('An invitation is named by its id in the list');
  const endpoint = isLink === undefined ? revokeInvite : revokeInviteLink;
  await callAsOwner(node, endpoint, { invite_id: Number(number) });
  return { id, revoked: true };
}

/** What is due soonest. Nothing of what it says: that is its author's. */
async function scheduled({ served: { org } }: AdminNode) {
  const messages = soonest(org.scheduledMessages.index.rows());
  const reminders = soonest(org.reminders.index.rows());
  const documents = await org.scheduledMessages.fetch(messages.map(({ id }) => id));
  const row = ({ id, owner, state, due }: ScheduleRow, kind: string, to: string) => ({
    id,
    kind,
    author: nameOf({ org }, owner),
    due: state === 'failed' ? state : timeText(due),
    to,
  });
  return [
    ...messages.map((one) => {
      const context = documents.get(one.id)?.context;
      const to = context?.type === 'stream' ? `channel ${String(context.to)}` : 'people';
      return row(one, 'message', to);
    }),
    ...reminders.map((one) => row(one, 'reminder', 'its author')),
  ].sort((a, b) => (a.due < b.due ? -1 : 1));
}

/** Keeps few at a time: there may be a million. */
function soonest(rows: Iterable<ScheduleRow>): ScheduleRow[] {
  let kept: ScheduleRow[] = [];
  const trim = (): void => {
    kept = kept.sort((a, b) => a.due - b.due).slice(0, MOST_SCHEDULED);
  };
  for (const row of rows) {
    kept.push(row);
    if (kept.length > 8 * MOST_SCHEDULED) trim();
  }
  trim();
  return kept;
}

function nameOf({ org }: Pick<AdminNode['served'], 'org'>, userId: number): string {
  return org.users.get(userId)?.email ?? String(userId);
}

/** A time as tables show it. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
