import { MAX_ALERT_WORDS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { comparedWord } from '../state/collections/users.js';
import type { Transaction } from '../state/transaction.js';

/** Adds words; they apply to later messages only (endpoints-users.md#muted-users-and-alert-words). @throws ApiError */
export function addAlertWords(
  tx: Transaction,
  userId: number,
  words: readonly string[],
): readonly string[] {
  const current = tx.org.alertWords.of(userId);
  const known = new Set(current.map(comparedWord));
  const added = words
    .map((word) => word.trim())
    .filter(
      (word) => word !== '' && !known.has(comparedWord(word)) && known.add(comparedWord(word)),
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
  const gone = new Set(words.map((word) => comparedWord(word.trim())));
  const current = tx.org.alertWords.of(userId);
  return store(
    tx,
    userId,
    current,
    current.filter((word) => !gone.has(comparedWord(word))),
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
