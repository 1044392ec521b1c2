import { MAX_FULL_NAME_LENGTH, MIN_FULL_NAME_LENGTH } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { isDisposableAddress } from '../../services/text/disposable-domains.js';
import { domainOf } from '../../services/text/mail-address.js';
import { invalidCharacterAt } from '../../services/text/stored-text.js';
import type { Organization } from '../state/organization.js';

/** Characters of the syntax of mentions and quotes. */
const FORBIDDEN_IN_NAMES = /[*`">@\\]/;
/** Mentions are written `name|id`, so a name must not end like one. */
const LIKE_A_MENTION = /\|\d+$/;
const MAX_ADDRESS_LENGTH = 254;
/**
 * Without invisible characters, symbols that look blank (U+2800, U+1D159), and combining marks: an address with
 * one would pass for another. Nor with the ideographic full stop (U+3002): mails go to the host with a dot there.
 */
const WORD = String.raw`(?!\p{M})[^\s@."(),:;<>[\\\]\p{C}\p{Default_Ignorable_Code_Point}\u2800\u3002\u{1d159}]+`;
/** Words with single dots between them (RFC 5321); host labels neither begin nor end with a hyphen. */
const LOCAL = String.raw`${WORD}(?:\.${WORD})*`;
const LABEL = String.raw`(?!-)${WORD}(?<!-)`;
const ADDRESS = new RegExp(String.raw`^${LOCAL}@${LABEL}(?:\.${LABEL})*$`, 'u');

/**
 * Trims and checks a display name (endpoints-users.md#user-administration).
 *
 * @param userId the account that gets the name; null for a new account
 * @throws ApiError `BAD_REQUEST`
 */
export function checkedFullName(org: Organization, raw: string, userId: number | null): string {
  const name = raw.trim();
  const { length } = [...name];
  if (length < MIN_FULL_NAME_LENGTH) throw badRequest('Name too short!');
  if (length > MAX_FULL_NAME_LENGTH) throw badRequest('Name too long!');
  if (FORBIDDEN_IN_NAMES.test(name) || invalidCharacterAt(name) !== null) {
    throw badRequest('Invalid characters in name!');
  }
  if (LIKE_A_MENTION.test(name)) throw badRequest('Invalid format!');
  if (org.realm.current.require_unique_names && isTaken(org, name, userId)) {
    throw badRequest('Unique names required in this organization.');
  }
  return name;
}

/** A name from another service, without characters that no display name may have. */
export function suitableFullName(raw: string): string {
  const plain = raw.replace(/[*`">@\\|\p{C}]/gu, ' ').replace(/\s+/g, ' ');
  return [...plain.trim()].slice(0, MAX_FULL_NAME_LENGTH).join('');
}

function isTaken(org: Organization, name: string, userId: number | null): boolean {
  for (const user of org.users.namedLike(name)) if (user.user_id !== userId) return true;
  return false;
}

/** Whether a text has the form of an e-mail address. */
export function isEmailAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(text)) return false;
  // Compatibility forms of letters would make two addresses of one.
  return text.normalize('NFKC') === text;
}

/** A domain people may register from, where the organization restricts domains. */
export interface AllowedDomain {
  readonly domain: string;
  readonly allow_subdomains: boolean;
}

/**
 * Trims and checks the address of a new account (endpoints-users.md#user-administration).
 *
 * @param domains the allowed ones; they count only while `emails_restricted_to_domains` is on
 * @throws ApiError `BAD_REQUEST`
 */
export function checkedNewEmail(
  org: Organization,
  raw: string,
  domains: readonly AllowedDomain[],
): string {
  const email = raw.trim();
  if (!isEmailAddress(email)) throw badRequest('Bad name or username');
  if (org.users.byRealEmail(email)) throw badRequest(`Email '${email}' already in use`);
  if (isPlaceholder(org, email)) throw notAllowed(email);
  if (org.realm.current.emails_restricted_to_domains) {
    if (email.slice(0, email.lastIndexOf('@')).includes('+')) {
      throw badRequest('Email addresses containing + are not allowed.');
    }
    if (!isOfAllowedDomain(email, domains)) throw notAllowed(email);
  }
  return email;
}

function notAllowed(email: string) {
  return badRequest(`Email '${email}' not allowed in this organization`);
}

/** Whether an address has the form in which hidden addresses are shown (`user12@…`); nobody may own one. */
function isPlaceholder(org: Organization, email: string): boolean {
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  return domain === org.site.botDomain.toLowerCase() && /^user\d+$/.test(local);
}

function isOfAllowedDomain(email: string, domains: readonly AllowedDomain[]): boolean {
  const own = domainOf(email);
  return domains.some(({ domain, allow_subdomains }) => {
    const allowed = domain.toLowerCase();
    return own === allowed || (allow_subdomains && own.endsWith(`.${allowed}`));
  });
}

/**
 * Why an address may not be that of an account here, or null: its form, and what the organization
 * allows (endpoints-invitations.md#invitations, reasons of INVITATION_FAILED).
 */
export function addressFault(org: Organization, email: string): string | null {
  if (!isEmailAddress(email) || isPlaceholder(org, email)) return 'Invalid address.';
  const { emails_restricted_to_domains, disallow_disposable_email_addresses } = org.realm.current;
  if (emails_restricted_to_domains) {
    if (email.slice(0, email.lastIndexOf('@')).includes('+')) {
      return 'Email addresses containing + are not allowed.';
    }
    return org.domains.allows(email) ? null : 'Outside your domain.';
  }
  if (disallow_disposable_email_addresses && isDisposableAddress(email)) {
    return 'Please use your real email address.';
  }
  return null;
}

/** Why an address is taken, or null. */
export function takenFault(
  org: Organization,
  email: string,
): { readonly reason: string; readonly deactivated: boolean } | null {
  const owner = org.users.byRealEmail(email);
  if (!owner) return null;
  if (owner.is_active) return { reason: 'Already has an account.', deactivated: false };
  return { reason: 'Account has been deactivated.', deactivated: true };
}
