/** Accounts of a Zulip export, which keep their ids. */
import { ROLE, type Role } from '../../../../schemas/users/user-document.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { addAccount, addressFor, type ImportedAccount } from '../people.js';
import { settingsIn } from './own-things.js';
import { integer, integerOrNull, millisecondsIn, textIn, type RealmFile } from './realm-file.js';

/** Adds people and bots. */
export function addAccounts(tx: Transaction, file: RealmFile, omissions: Omissions): void {
  const rows = [
    ...file.rows('zerver_userprofile'),
    ...file.rows('zerver_userprofile_mirrordummy'),
  ].sort((a, b) => integer(a, 'id') - integer(b, 'id'));
  for (const table of ['zerver_userprofile', 'zerver_userprofile_mirrordummy'] as const) {
    file.settle(table, omissions);
  }
  for (const row of rows) {
    const user_id = integer(row, 'id');
    const address = textIn(row, 'delivery_email') || textIn(row, 'email');
    const isPerson = row['is_bot'] !== true && row['is_mirror_dummy'] !== true;
    const who = isPerson ? textIn(row, 'full_name') : null;
    const account: ImportedAccount = {
      user_id,
      email: addressFor(tx, address, `user${user_id}`, who, omissions),
      full_name: textIn(row, 'full_name'),
      role: roleOf(row),
      is_active: row['is_active'] === true && row['is_mirror_dummy'] !== true,
      date_joined: millisecondsIn(row, 'date_joined'),
      is_imported_stub: row['is_imported_stub'] === true,
      ...(row['can_create_users'] === true ? { creates_users: true } : {}),
      ...(row['can_change_user_emails'] === true ? { can_change_user_emails: true } : {}),
      ...(row['is_deleted'] === true ? { is_deleted: true } : {}),
      ...generatedPicture(row),
      ...(row['is_bot'] === true
        ? {
            is_bot: true,
            bot_type: integerOrNull(row, 'bot_type') ?? 1,
            bot_owner_id: ownerOf(row),
          }
        : {}),
      settings: settingsIn(row, omissions),
    };
    addAccount(tx, account, omissions);
  }
}

/** Before roles had numbers, they were columns of their own. */
function roleOf(row: JsonRow): Role {
  const role = integerOrNull(row, 'role');
  if ((Object.values(ROLE) as (number | null)[]).includes(role)) return role as Role;
  if (row['is_realm_owner'] === true) return ROLE.owner;
  if (row['is_realm_admin'] === true) return ROLE.administrator;
  return row['is_guest'] === true ? ROLE.guest : ROLE.member;
}

/** Which picture a user has who uploaded none; uploaded ones come later. */
function generatedPicture(row: JsonRow): { avatar_source?: 'G' | 'J' } {
  const source = textIn(row, 'avatar_source');
  return source === 'G' || source === 'J' ? { avatar_source: source } : {};
}

function ownerOf(row: JsonRow): number | null {
  return integerOrNull(row, 'bot_owner') ?? integerOrNull(row, 'bot_owner_id');
}
