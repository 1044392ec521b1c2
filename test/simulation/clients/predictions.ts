import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { Body } from '../../system/harness/client.js';
import type { Reply } from './client.js';

/** A request whose reply is known beforehand. */
export interface Prediction {
  readonly method: string;
  readonly path: string;
  readonly parameters: Body;
  /** What the reply is, unless it is 503. */
  readonly expected: string;
  readonly isExpected: (reply: Reply) => boolean;
}

/** What is made, and the list that has it then: its path, its field, and the field of ids in the reply to who made it. */
const LISTED: Readonly<Record<string, readonly [path: string, list: string, ids: string]>> = {
  'create-drafts': ['/drafts', 'drafts', 'ids'],
  'create-saved-snippet': ['/saved_snippets', 'saved_snippets', 'saved_snippet_id'],
  'create-reminder': ['/reminders', 'reminders', 'reminder_id'],
  'create-scheduled-message': ['/scheduled_messages', 'scheduled_messages', 'scheduled_message_id'],
};

/** What is made, and is there for good, whoever else changes it: where, and the field of its id. */
const KEPT: Readonly<Record<string, readonly [path: string, id: string]>> = {
  'send-message': ['/messages/', 'id'],
  'create-user': ['/users/', 'user_id'],
  'create-bot': ['/users/', 'user_id'],
  'create-channel': ['/streams/', 'id'],
};

/** What ends a thing whose id no other ever gets: the same again is refused. */
const ENDING: ReadonlySet<string> = new Set([
  ...['delete-message', 'delete-draft', 'delete-saved-snippet', 'delete-reminder'],
  ...['delete-scheduled-message', 'delete-custom-profile-field', 'remove-linkifier'],
  ...['remove-code-playground', 'revoke-invite', 'revoke-invite-link'],
]);

/** What only the account itself changes, and may be said again. */
const REPEATABLE: ReadonlySet<string> = new Set([
  ...['update-settings', 'update-display-settings', 'update-notification-settings'],
  ...['update-message-flags', 'add-alert-words', 'remove-alert-words', 'update-presence'],
  ...['update-own-status', 'mark-all-as-read', 'update-user-topic'],
]);

/** What the same gets again. */
const CODES: Readonly<Record<string, string>> = {
  'add-reaction': 'REACTION_ALREADY_EXISTS',
  'remove-reaction': 'REACTION_DOES_NOT_EXIST',
};

/**
 * What must be answered right after a success of an operation to whoever names its position, at any node; null for
 * most operations: others may change what they are about.
 */
export function predicted(
  { operation, method }: EndpointDescriptor,
  path: string,
  parameters: Body,
  reply: Body,
): Prediction | null {
  const listed = LISTED[operation];
  if (listed) {
    const [place, list, field] = listed;
    const ids = [reply[field]].flat();
    return {
      ...{ method: 'GET', path: place, parameters: {}, expected: `${ids.join()} in ${list}` },
      isExpected: ({ status, body }) => {
        const found = status === 200 ? (body[list] as Body[]) : [];
        return ids.every((id) => found.some((one) => (one[field] ?? one.id) === id));
      },
    };
  }
  const kept = KEPT[operation];
  if (kept) {
    const isExpected = ({ status }: Reply): boolean => status === 200;
    const place = `${kept[0]}${String(reply[kept[1]])}`;
    return { method: 'GET', path: place, parameters: {}, expected: 'what was made', isExpected };
  }
  const again = { method, path, parameters };
  if (REPEATABLE.has(operation)) {
    return { ...again, expected: 'the same', isExpected: ({ status }) => status === 200 };
  }
  if (ENDING.has(operation)) {
    return { ...again, expected: 'that it is gone', isExpected: ({ status }) => status !== 200 };
  }
  const { [operation]: code } = CODES;
  if (code === undefined) return null;
  return { ...again, expected: code, isExpected: ({ body }) => body.code === code };
}
