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
/** `password=…`, `"token": "…"`, `Authorization: Basic …`; JSON in JSON, as a server's answer in an error, has more quotes. */
const NAMED =
  /\b(pass(?:word|wd)?|secret|token|ticket|cookie|authorization|api_?key|key|nonce)\b(\\{0,8}["']?\s*[:=]\s*\\{0,8}["']?)(?:(?:basic|bearer)\s+)?[^\s"'\\,;&}]+/gi;
/** As long as a key. */
const LONG = /[\w+=-]{20,}/g;
/** Of so many letters of a key one is a capital, at least; names in code have fewer. */
const CAPITALS = 4;
/** Names of backups look like keys. */
const BACKUP = /^parley-\d{4}-[\dTZ-]+$/;

/** What has digits and letters, or many capitals among small letters (one key in 300 has no digit); words have neither. */
function isKey(long: string): boolean {
  if (/\d/.test(long)) return /[A-Za-z]/.test(long) && !BACKUP.test(long);
  const capitals = long.replaceAll(/[^A-Z]/g, '').length;
  return /[a-z]/.test(long) && capitals * CAPITALS >= long.length;
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
  for (const secret of known) {
    shown = shown.replaceAll(secret, HIDDEN);
    // As it stands in JSON.
    const quoted = JSON.stringify(secret).slice(1, -1);
    if (quoted !== secret) shown = shown.replaceAll(quoted, HIDDEN);
  }
  return shown
    .replaceAll(CREDENTIALS, `://${HIDDEN}@`)
    .replaceAll(MAIL_ADDRESS, '…')
    .replaceAll(NAMED, `$1$2${HIDDEN}`)
    .replaceAll(LONG, (found) => (isKey(found) ? '…' : found));
}
