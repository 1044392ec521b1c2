/** What may be shown of texts that somebody else made: of log lines, of what servers say, of option values. */
import type { Config } from '../../config/config.js';

/** Stands for a secret. */
const HIDDEN = '***';
/**
 * Of people; administrators may not read them all. It begins where a word does, so that a long word without one is
 * looked through once.
 */
const MAIL_ADDRESS = /(?<![^\s<>"'\\@:/*,;=(])[^\s<>"'\\@:/*,;=(]{1,256}@[^\s<>"'\\,;)]{1,255}/g;
const CREDENTIALS = /:\/\/[^\s/?#"']*@/g;
/** `password=…`, `"token": "…"`, `Authorization: Basic …`. */
const NAMED =
  /\b(pass(?:word|wd)?|secret|token|ticket|cookie|authorization|api_?key|key|nonce)\b(["']?\s*[:=]\s*["']?)(?:(?:basic|bearer)\s+)?[^\s"',;&}]+/gi;
/** As long as a key. */
const LONG = /[\w+=-]{20,}/g;
/** Names of backups look like keys. */
const BACKUP = /^parley-\d{4}-[\dTZ-]+$/;

/** What has digits and letters; words have no digits. */
function isKey(long: string): boolean {
  return /\d/.test(long) && /[A-Za-z]/.test(long) && !BACKUP.test(long);
}

/** Secrets of a configuration, as they may stand in texts. */
export function secretsOf({ ownerPassword, store, mail, filesKeys }: Config): string[] {
  const urls = [store, mail ?? ''].flatMap((url) => {
    const password = /:\/\/[^/?#:]*:([^/?#]+)@/.exec(url)?.[1];
    return password === undefined ? [] : [password, decoded(password)];
  });
  const keys = Object.values(filesKeys ?? {}).filter((one) => typeof one === 'string');
  // Shorter ones would be found everywhere.
  return [ownerPassword ?? '', ...urls, ...keys].filter(({ length }) => length >= 4);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param known secrets that are hidden wherever they stand */
export function withoutSecrets(text: string, known: readonly string[]): string {
  let shown = text;
  for (const secret of known) shown = shown.replaceAll(secret, HIDDEN);
  return shown
    .replaceAll(CREDENTIALS, `://${HIDDEN}@`)
    .replaceAll(MAIL_ADDRESS, '…')
    .replaceAll(NAMED, `$1$2${HIDDEN}`)
    .replaceAll(LONG, (found) => (isKey(found) ? '…' : found));
}
