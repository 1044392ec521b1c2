import { MAX_ALERT_WORDS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Transaction } from '../state/transaction.js';

/** Adds words; they apply to later messages only (endpoints-users.md#muted-users-and-alert-words). @throws ApiError */
export function addAlertWords(
  tx: Transaction,
  userId: number,
  words: readonly string[],
): readonly string[] {
  const current = tx.org.alertWords.of(userId);
  const known = new Set(current.map((word) => word.toLowerCase()));
  const added = words
    .map((word) => word.trim())
    .filter(
      (word) => word !== '' && !known.has(word.toLowerCase()) && known.add(word.toLowerCase()),
    );
  if (current.length + added.length > MAX_ALERT_WORDS) {
    throw badRequest(`You can have at most ${MAX_ALERT_WORDS} alert words.`);
  }
  return store(tx, userId, current, [...current, ...added]);
}

/** Removes words, in any case; unknown ones do nothing. */
export function removeAlertWords(
  tx: Transaction,
  userId: number,
  words: readonly string[],
): readonly string[] {
  const gone = new Set(words.map((word) => word.trim().toLowerCase()));
  const current = tx.org.alertWords.of(userId);
  return store(
    tx,
    userId,
    current,
    current.filter((word) => !gone.has(word.toLowerCase())),
  );
}

function store(
  tx: Transaction,
  userId: number,
  current: readonly string[],
  words: string[],
): readonly string[] {
  if (words.length === current.length) return current;
  if (words.length === 0) tx.org.alertWords.delete(userId);
  else tx.org.alertWords.insert({ user_id: userId, words });
  tx.emit('alert_words', { to: 'users', users: [userId] }, { alert_words: words });
  return words;
}
