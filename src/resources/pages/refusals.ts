import type { Catalogs, Say } from '../../languages/catalogs.js';
import type { ApiError } from '../../errors/index.js';

/*
 * What refusals say on pages. The API says them in English, as the contract words them, because clients compare them;
 * those that a visitor may meet have a translation, the others are shown as they are.
 */

type RefusalId = Extract<keyof Catalogs['pages'], `refusal.${string}`>;
/** Of wordings that are the same each time. */
const FIXED: Readonly<Record<string, Exclude<RefusalId, keyof typeof WITH_VALUES>>> = {
  'Account is deactivated': 'refusal.account-deactivated',
  'An invitation is needed to join this organization.': 'refusal.invitation-needed',
  'Email addresses containing + are not allowed.': 'refusal.plus',
  'Enter a valid email address.': 'refusal.address',
  'Error connecting to the BigBlueButton server.': 'refusal.call-service',
  'Invalid address.': 'refusal.address-invalid',
  'Invalid characters in name!': 'refusal.name-characters',
  'Invalid format!': 'refusal.name-format',
  'Invalid timezone': 'refusal.timezone',
  'Invalid two-factor code.': 'refusal.two-factor-code',
  'Name too long!': 'refusal.name-long',
  'Name too short!': 'refusal.name-short',
  'New password is too weak!': 'refusal.new-password-weak',
  'Password authentication is disabled in this organization': 'refusal.password-login-off',
  'Please fill out all fields.': 'refusal.fields',
  'Please use your real email address.': 'refusal.disposable',
  'The password is too weak.': 'refusal.password-weak',
  'This login is too old, or was used already. Begin again.': 'refusal.login-old',
  'This login is too old, was used already, or was begun in another browser. Begin again.':
    'refusal.login-elsewhere',
  'Wrong password!': 'refusal.password-wrong',
  'Your account has no password.': 'refusal.no-password',
  'Unique names required in this organization.': 'refusal.name-taken',
  'Whoops. The confirmation link has expired or been deactivated.': 'refusal.link-expired',
  'Whoops. The confirmation link is malformed.': 'refusal.link-malformed',
};

/** Of wordings with an address or the name of a service in them. */
const WITH_VALUES = {
  'refusal.answer': /^What (.+) answered does not fit this login\. Begin again\.$/,
  'refusal.domain': /^Your email address, (.+), is not in one of the domains that are allowed /,
  'refusal.no-account': /^There is no account with the address (.+)\.$/,
  'refusal.no-address': /^(.+) gave no e-mail address\.$/,
  'refusal.not-logged-in': /^(.+) did not log you in\.$/,
  'refusal.unverified': /^(.+) does not say that your e-mail address is verified\.$/,
} as const satisfies Partial<Record<RefusalId, RegExp>>;
const PATTERNS = Object.entries(WITH_VALUES) as [keyof typeof WITH_VALUES, RegExp][];

/** What an error says to people; clients of the API know their limits by other words. */
export function sayingOf(error: ApiError, say: Say<'pages'>): string {
  if (error.code === 'RATE_LIMIT_HIT') {
    return say('error.too-often', { seconds: Math.ceil(Number(error.fields['retry-after'])) });
  }
  const id = FIXED[error.message];
  if (id !== undefined) return say(id);
  for (const [known, pattern] of PATTERNS) {
    const named = pattern.exec(error.message)?.[1];
    if (named !== undefined) return say(known, { named });
  }
  return error.message;
}
