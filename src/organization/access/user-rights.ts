import { ROLE, type UserDocument, type UserRight } from '../../../schemas/users/user-document.js';

/** May make accounts for others: owners and administrators, unless the operator said otherwise. */
export function canCreateUsers({ creates_users, role }: UserDocument): boolean {
  return creates_users ?? role <= ROLE.administrator;
}

/** What changes of an account's document when it gets a right, or loses it. */
export function rightChange(right: UserRight, granted: boolean): Partial<UserDocument> {
  return right === 'can_create_users'
    ? { creates_users: granted }
    : { can_change_user_emails: granted };
}
