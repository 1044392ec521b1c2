import { Empty, endpoint, Id, oneOf, required, withDefault } from '../endpoint.js';
import { MESSAGE } from '../example-values.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

/** What a message can be reported for: `server_report_message_types` (register-realm.md#messages). */
export const REPORT_TYPES = [
  { key: 'spam', name: 'Spam' },
  { key: 'harassment', name: 'Harassment' },
  { key: 'inappropriate', name: 'Inappropriate content' },
  { key: 'norms', name: 'Violates community norms' },
  { key: 'other', name: 'Other reason' },
] as const;

export type ReportType = (typeof REPORT_TYPES)[number]['key'];

/** Longest explanation of a report, in code points. */
const MAX_REPORT_DESCRIPTION_LENGTH = 1000;

/** endpoints-messages.md#one-message. */
export const reportMessage = endpoint({
  operation: 'report-message',
  method: 'POST',
  path: '/messages/{message_id}/report',
  access: 'user',
  summary: 'Report a message to the moderators',
  params: {
    message_id: required(Id),
    report_type: required(oneOf('spam', 'harassment', 'inappropriate', 'norms', 'other')),
    description: withDefault(text(MAX_REPORT_DESCRIPTION_LENGTH), ''),
  },
  response: Empty,
  errors: [],
  example: { message_id: MESSAGE, report_type: 'spam' },
  events: ['message'],
  level: 382,
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  report_type:
    'What is wrong, by a key of `server_report_message_types`: `spam`, `harassment`, `inappropriate`, `norms` or `other`.',
  'report-message.description':
    'What the reporter says about it, at most 1000 characters; required for `other`.',
});
