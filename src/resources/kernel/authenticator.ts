import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { BOT_TYPE, ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  botsNotAccepted,
  guestsNotAllowed,
  mustBe,
  organizationDeactivated,
  unauthorized,
  type ApiError,
} from '../../errors.js';
import type { ActivityTracker } from '../../organization/presence/activity-tracker.js';
import type { Organization } from '../../organization/state/organization.js';
import { userByEmail } from '../../organization/views/user-view.js';
import { type ApiKeys, isWellFormedKey } from '../../services/auth/api-keys.js';
import { BotKeys } from './bot-keys.js';
import type { Authenticator, Caller, Session } from './route.js';

/** Checked in place of accounts that do not exist, so that response times reveal nothing. */
const NOBODY = { user_id: 0, key_version: '' };

/** A new session of an account. */
export function sessionOf({ user_id, key_version, email }: UserDocument): Session {
  return { userId: user_id, keyVersion: key_version, email };
}

/** Checks e-mail addresses and API keys against the organization (authentication.md#basic). */
export class KeyAuthenticator implements Authenticator {
  private readonly botKeys: BotKeys;

  constructor(
    private readonly org: Organization,
    private readonly keys: ApiKeys,
    /** Told who makes requests with valid credentials. */
    private readonly activity: Pick<ActivityTracker, 'checked' | 'record'>,
  ) {
    this.botKeys = new BotKeys(org, keys);
  }

  login(email: string, key: string): Session {
    const given = key.trim();
    if (!isWellFormedKey(given)) throw unauthorized('Malformed API key');
    const user = userByEmail(this.org, email.trim());
    const { user_id, key_version } = user ?? NOBODY;
    const right = this.keys.verify(user_id, key_version, given);
    if (!user || !right || user.is_system_bot) throw invalidKey();
    this.assertUsable(user);
    return sessionOf(user);
  }

  /** Makes the keys of bots ready to be found, once the organization is loaded. */
  async prepare(): Promise<void> {
    await this.botKeys.prepare();
  }

  byKey(key: string): Caller {
    const given = key.trim();
    if (!isWellFormedKey(given)) throw unauthorized('Malformed API key');
    const user = this.botKeys.find(given);
    if (!user) throw invalidKey();
    this.assertUsable(user);
    return this.callerOf(user);
  }

  caller(session: Session): Caller | undefined {
    const user = this.org.users.get(session.userId);
    if (user?.key_version !== session.keyVersion || user.email !== session.email) return undefined;
    this.assertUsable(user);
    return this.callerOf(user);
  }

  private callerOf(user: UserDocument): Caller {
    const { checked } = this.activity;
    if (!checked.has(user.user_id)) this.activity.record(user.user_id);
    return { user };
  }

  /** Call only after the key was found right: the refusal reveals the account. @throws ApiError */
  private assertUsable(user: UserDocument): void {
    if (!user.is_active) throw unauthorized('Account is deactivated');
    if (this.org.realm.isDeactivated) {
      throw organizationDeactivated();
    }
  }
}

function invalidKey(): ApiError {
  return unauthorized('Invalid API key');
}

const WEBHOOK_PATHS: ReadonlySet<string> = new Set(['/messages', '/external/{integration}']);

/**
 * Incoming-webhook bots may only send messages, and pass on those of services (conventions.md#callers). Call before the endpoint's access
 * rule.
 * @throws ApiError `UNAUTHORIZED`
 */
export function assertNotWebhookBot(user: UserDocument, endpoint: EndpointDescriptor): void {
  if (user.bot_type !== BOT_TYPE.incomingWebhook) return;
  if (endpoint.method === 'POST' && WEBHOOK_PATHS.has(endpoint.path)) return;
  throw unauthorized('This API is not available to incoming webhook bots.');
}

/**
 * Checks the access rule of an endpoint for a caller who is known to be active.
 * @throws ApiError 400 with the messages of errors.md#permission-messages
 */
export function checkAccess(endpoint: EndpointDescriptor, { user }: Caller): void {
  assertNotWebhookBot(user, endpoint);
  switch (endpoint.access) {
    case 'anonymous':
    case 'user':
      return;
    case 'human':
      if (user.is_bot) throw botsNotAccepted();
      return;
    case 'member':
      if (user.role >= ROLE.guest) throw guestsNotAllowed();
      return;
    case 'administrator':
      if (user.role > ROLE.administrator) throw mustBe('administrator');
      return;
    case 'owner':
      if (user.role > ROLE.owner) throw mustBe('owner');
      return;
  }
}
