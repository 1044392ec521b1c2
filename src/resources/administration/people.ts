import * as descriptors from '../../../schemas/administration/people.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, mustBe } from '../../errors/index.js';
import {
  endResetLinks,
  logOutEverywhere,
  mayTakeResetLink,
  openPasswordReset,
  recordResetLink,
  requestPasswordReset,
} from '../../organization/accounts/password-reset.js';
import { endSession, sessionsOf } from '../../organization/accounts/sessions.js';
import { removeTwoFactor, twoFactorOf } from '../../organization/accounts/two-factor.js';
import { linkUrl } from '../../organization/mail/texts.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import type { HandlerParts } from '../handler-parts.js';
import { sessionRow } from '../accounts/sessions.js';

interface PeopleParts {
  readonly linkKeys: LinkKeys;
  readonly queues: Pick<HandlerParts['queues'], 'renewPushOf' | 'closeSocketsOf'>;
}

/** How people log in, as administrators see and end it (endpoints-organization.md#console). */
export function peopleHandlers({ linkKeys, queues }: PeopleParts): AnyHandler[] {
  return [
    handle(descriptors.getPersonLogins, ({ org }, { user, params }) => {
      const { user_id } = personOf(org, user, params.user_id);
      return {
        sessions: sessionsOf(org, user_id).map(sessionRow),
        has_two_factor: twoFactorOf(org, user_id) !== undefined,
        reset_is_mailed: org.site.mails === true,
      };
    }),
    handle(descriptors.resetPersonPassword, (tx, { user, params }) => {
      const { org } = tx;
      const person = personOf(org, user, params.user_id);
      if (!person.is_active) throw badRequest('User is deactivated');
      const mailed = org.site.mails === true;
      if (!mailed && !mayTakeResetLink(user)) throw mustBe('owner');
      if (mailed) {
        recordResetLink(tx, person);
        endResetLinks(tx, person);
        requestPasswordReset(tx, linkKeys, person);
        return { mailed, reset_link: null };
      }
      const { nonce } = openPasswordReset(tx, linkKeys, person, user.user_id);
      const key = linkKeys.key(nonce);
      const reset_link = linkUrl(org.site.url, 'password_reset', key, person.user_id);
      return { mailed, reset_link };
    }),
    handle(descriptors.endPersonSession, (tx, { user, params }) => {
      const person = personOf(tx.org, user, params.user_id);
      if (!endSession(tx, person.user_id, params.session_id)) {
        throw badRequest('No such session', 404);
      }
      record(tx, person, 'session');
      tx.onceDurable(() => queues.renewPushOf(person.user_id));
      return {};
    }),
    handle(descriptors.logPersonOut, (tx, { user, params }) => {
      const person = personOf(tx.org, user, params.user_id);
      logOutEverywhere(tx, person, (id) => queues.closeSocketsOf(id));
      return {};
    }),
    handle(descriptors.removePersonTwoFactor, (tx, { user, params }) => {
      const person = personOf(tx.org, user, params.user_id);
      if (!removeTwoFactor(tx, person.user_id)) throw badRequest('They have no second factor.');
      return {};
    }),
  ];
}

/** Whom an administrator may see and log out. @throws ApiError for bots, and of owners for other administrators */
function personOf(org: Organization, actor: UserDocument, userId: number): UserDocument {
  const person = org.users.get(userId);
  if (!person || person.is_bot || person.is_system_bot) throw badRequest('No such user');
  if (person.role === ROLE.owner && actor.role !== ROLE.owner) throw mustBe('owner');
  return person;
}

/** What no document of settings shows. */
function record(tx: Transaction, { user_id, full_name }: UserDocument, field: string): void {
  const fields = [{ name: field, old: null, new: null }];
  recordAction(tx, { kind: 'user', id: user_id, name: full_name, action: 'changed', fields });
}
