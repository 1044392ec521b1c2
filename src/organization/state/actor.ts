import type { AuditWay } from '../../../schemas/realm/audit-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';

/** Who acts, for the audit log. */
export interface Actor {
  readonly way: AuditWay;
  /** Null: nobody who is logged in. */
  readonly user: Pick<UserDocument, 'user_id' | 'role'> | null;
}

/** What nobody asked for. */
export const SERVER: Actor = { way: 'server', user: null };

/** Whoever runs the commands of the admin socket. */
export const OPERATOR: Actor = { way: 'operator', user: null };

/** A login by another service, which decides about the account. */
export const LOGIN: Actor = { way: 'login', user: null };

/** Whoever has a mailed link. */
export const LINK: Actor = { way: 'link', user: null };
