/** `parley users import`: accounts from a table. */
import { ApiError, badRequest, restsOnState } from '../../errors/index.js';
import { monotonicTime } from '../../platform/time.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { checkedFullName, checkedNewEmail } from '../../organization/accounts/account-checks.js';
import { createUser } from '../../organization/accounts/accounts.js';
import {
  openPasswordReset,
  requestPasswordReset,
} from '../../organization/accounts/password-reset.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import { linkUrl } from '../../organization/mail/texts.js';
import { OPERATOR } from '../../organization/state/audited.js';
import { roleFrom } from './accounts.js';
import type { AdminNode, AdminRequest, Asker, ImportedUser } from './admin-request.js';

/** Rows whose outcome is told together, once it is durable. */
const TOLD_TOGETHER = 100;

interface Outcome {
  readonly line: number;
  readonly email: string;
  readonly outcome: 'created' | 'exists' | 'refused';
  /** Why it was refused, or the link that was asked for. */
  readonly more: string;
}

/**
 * Creates an account per row, each in a transaction of its own. Users who have an account stay as they are, so that
 * an import that was cut off is repeated. Each new account gets a mail with a link to set its password, or the link is
 * shown (`--links`).
 */
export async function importUsers(
  node: AdminNode,
  { rows = [], flags }: AdminRequest,
  { row, isGone }: Asker,
): Promise<unknown> {
  const { runtime } = node.served;
  const pause = new EventLoopYield();
  const count = { created: 0, exists: 0, refused: 0 };
  let untold: Outcome[] = [];
  let begun = monotonicTime();
  const tell = async (): Promise<void> => {
    await runtime.durableSince(begun);
    untold.forEach(row);
    untold = [];
    begun = monotonicTime();
  };
  for (const one of rows) {
    if (isGone()) throw badRequest('The import was cut off');
    const outcome = importOne(node, one, flags['links'] === true);
    count[outcome.outcome] += 1;
    untold.push(outcome);
    if (untold.length >= TOLD_TOGETHER) await tell();
    await pause.take();
  }
  await tell();
  return count;
}

function importOne(
  { served }: AdminNode,
  { line, email, name, role }: ImportedUser,
  showsLink: boolean,
): Outcome {
  const { org, parts, runtime } = served;
  const told = { line, email };
  if (org.users.byRealEmail(email)) return { ...told, outcome: 'exists', more: '' };
  try {
    const link = runtime.transact((tx) => {
      const user = createUser(tx, {
        email: checkedNewEmail(org, email, org.domains.list()),
        full_name: checkedFullName(org, name, null),
        role: roleFrom(role === '' ? undefined : role),
        password_hash: null,
        awaits_first_login: true,
      });
      welcomeUser(tx, parts.markdown, user);
      if (!showsLink) {
        requestPasswordReset(tx, parts.linkKeys, user);
        return '';
      }
      const { nonce } = openPasswordReset(tx, parts.linkKeys, user, null);
      return linkUrl(org.site.url, 'password_reset', parts.linkKeys.key(nonce), user.user_id);
    }, OPERATOR);
    return { ...told, outcome: 'created', more: link };
  } catch (error) {
    if (!(error instanceof ApiError) || !restsOnState(error)) throw error;
    return { ...told, outcome: 'refused', more: error.message };
  }
}
