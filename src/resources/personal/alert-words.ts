import * as descriptors from '../../../schemas/personal/alert-words.js';
import { addAlertWords, removeAlertWords } from '../../organization/personal/alert-words.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Alert words (endpoints-users.md#muted-users-and-alert-words). */
export const alertWordHandlers: readonly AnyHandler[] = [
  handle(descriptors.getAlertWords, ({ org }, { user }) => ({
    alert_words: org.alertWords.of(user.user_id),
  })),
  handle(descriptors.addAlertWords, (tx, { user, params }) => ({
    alert_words: addAlertWords(tx, user.user_id, params.alert_words),
  })),
  handle(descriptors.removeAlertWords, (tx, { user, params }) => ({
    alert_words: removeAlertWords(tx, user.user_id, params.alert_words),
  })),
];
