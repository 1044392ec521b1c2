import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MIN_INVITER_AGE_DAYS } from '../../../schemas/limits.js';
import { badRequest, invitationFailed, type InvitationTriple } from '../../errors.js';
import { addressFault, takenFault } from '../accounts/address-rules.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';

const DAY_MS = 86_400_000;

/** The `a@b` of `Name <a@b>`. */
const WITH_NAME = /<([^<>]*)>\s*$/;

/**
 * The addresses of a text, separated by commas or newlines; names are taken off, empties skipped, and
 * an address given twice, in whatever case, counts once.
 * @throws ApiError when there is none
 */
export function inviteeAddresses(text: string): string[] {
  const addresses = new Map<string, string>();
  for (const piece of text.split(/[,\n]/)) {
    const address = (WITH_NAME.exec(piece)?.[1] ?? piece).trim();
    const key = address.toLowerCase();
    if (address !== '' && !addresses.has(key)) addresses.set(key, address);
  }
  if (addresses.size === 0) throw badRequest('You must specify at least one email address.');
  return [...addresses.values()];
}

/** Whom to invite, and who has an account already. */
export interface Invitees {
  readonly invited: readonly string[];
  readonly skipped: readonly InvitationTriple[];
}

/**
 * Sorts addresses out (endpoints-invitations.md#invitations).
 * @param remaining invitations the organization may still send today
 * @throws ApiError `INVITATION_FAILED` when nobody is to be invited
 */
export function checkedInvitees(
  org: Organization,
  caller: UserDocument,
  addresses: readonly string[],
  remaining: number,
): Invitees {
  if (addresses.length > remaining) {
    throw invitationFailed(
      'To protect users, the number of invitations that can be sent in one day is limited. ' +
        'Because you have reached the limit, no invitations were sent.',
      [],
      { dailyLimit: true },
    );
  }
  checkAge(org, caller);
  const invited: string[] = [];
  const faulty: InvitationTriple[] = [];
  const skipped: InvitationTriple[] = [];
  for (const address of addresses) {
    const fault = addressFault(org, address);
    const taken = fault === null ? takenFault(org, address) : null;
    if (fault !== null) faulty.push([address, fault, false]);
    else if (taken) skipped.push([address, taken.reason, taken.deactivated]);
    else invited.push(address);
  }
  if (faulty.length > 0) {
    throw invitationFailed("Some emails did not validate, so we didn't send any invitations.", [
      ...faulty,
      ...skipped,
    ]);
  }
  if (invited.length === 0) throw invitationFailed("We weren't able to invite anyone.", skipped);
  return { invited, skipped };
}

/**
 * Where anybody may join, new accounts do not invite: else invitations would be a way to send mail to
 * strangers.
 */
function checkAge(org: Organization, caller: UserDocument): void {
  const { invite_required, waiting_period_threshold } = org.realm.current;
  if (invite_required || isAdministrator(caller)) return;
  const days = Math.max(MIN_INVITER_AGE_DAYS, waiting_period_threshold);
  if (caller.date_joined + days * DAY_MS <= org.now()) return;
  throw invitationFailed(
    'Your account is too new to send invites for this organization. ' +
      'Ask an organization admin, or a more experienced user.',
    [],
  );
}

/** What is said when only some were invited: the others have accounts. */
export const SOME_HAVE_ACCOUNTS =
  "Some of those addresses already have accounts, so we didn't send them an invitation. " +
  'We did send invitations to everyone else!';
